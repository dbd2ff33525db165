import { useCallback, useEffect, useState } from 'preact/hooks';

/** Milliseconds for which a toast is shown. */
const duration = 2500;

/** A confirmation that disappears by itself. */
export function useToast(): { text: string; show: (text: string) => void } {
  const [toast, setToast] = useState({ text: '' });
  useEffect(() => {
    if (toast.text === '') return;
    const timer = setTimeout(() => setToast({ text: '' }), duration);
    return () => clearTimeout(timer);
  }, [toast]);
  const show = useCallback((text: string) => setToast({ text }), []);
  return { text: toast.text, show };
}

/** The live region for toasts; always rendered, so that screen readers announce them. */
export function Toast({ text }: { text: string }) {
  return (
    <div class="toast" role="status">
      {text && <p>{text}</p>}
    </div>
  );
}

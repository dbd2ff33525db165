import { useEffect, useState } from 'preact/hooks';

/** Seconds until a moment (in milliseconds), counting down to 0 while shown. */
export function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(Date.now);
  const isOver = now >= moment;
  useEffect(() => {
    setNow(Date.now());
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [moment, isOver]);
  return Math.max(0, Math.ceil((moment - now) / 1000));
}

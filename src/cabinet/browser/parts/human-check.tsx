import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/**
 * The part of Turnstile's script API that is used:
 * https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/.
 */
interface Turnstile {
  render(container: HTMLElement, options: WidgetOptions): string;
  reset(widget: string): void;
  remove(widget: string): void;
}

interface WidgetOptions {
  readonly sitekey: string;
  readonly size: 'flexible';
  readonly callback: (token: string) => void;
  readonly 'expired-callback': () => void;
  readonly 'error-callback': () => void;
}

const { turnstileKey: siteKey, turnstileOrigin: origin } =
  document.querySelector<HTMLElement>('[data-turnstile-key]')?.dataset ?? {};

/** Loaded once, when a widget is first rendered. */
let script: Promise<Turnstile> | undefined;

function loadScript(): Promise<Turnstile> {
  script ??= new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = `${origin}/turnstile/v0/api.js?render=explicit`;
    element.onload = () => resolve((window as unknown as { turnstile: Turnstile }).turnstile);
    element.onerror = () => {
      script = undefined;
      element.remove();
      reject(new Error('the script could not be loaded'));
    };
    document.head.append(element);
  });
  return script;
}

/** Whether this deployment uses Turnstile. */
export const needsHumanCheck = siteKey !== undefined && origin !== undefined;

export interface HumanCheck {
  /** The token for the call; undefined if there is none yet, or none is needed. */
  readonly token: string | undefined;
  /** The element into which the widget is rendered. */
  readonly container: { current: HTMLDivElement | null };
  readonly hasFailed: boolean;
  /** Requests another token, because each can be used only once. */
  readonly renew: () => void;
}

/** The state of a Turnstile widget, if Turnstile is on. */
export function useHumanCheck(): HumanCheck {
  const [token, setToken] = useState<string>();
  const [hasFailed, setFailed] = useState(false);
  const container = useRef<HTMLDivElement>(null);
  const widget = useRef<{ turnstile: Turnstile; id: string } | null>(null);

  useEffect(() => {
    if (siteKey === undefined || container.current === null) return;
    let isGone = false;
    const element = container.current;
    loadScript()
      .then((turnstile) => {
        if (isGone) return;
        const id = turnstile.render(element, {
          sitekey: siteKey,
          size: 'flexible',
          callback: (newToken) => {
            setFailed(false);
            setToken(newToken);
          },
          'expired-callback': () => setToken(undefined),
          'error-callback': () => setFailed(true),
        });
        widget.current = { turnstile, id };
      })
      .catch(() => setFailed(true));
    return () => {
      isGone = true;
      widget.current?.turnstile.remove(widget.current.id);
    };
  }, []);

  const renew = useCallback(() => {
    setToken(undefined);
    widget.current?.turnstile.reset(widget.current.id);
  }, []);
  return { token, container, hasFailed, renew };
}

/** The container of the widget; null if Turnstile is off. */
export function HumanCheckField({ container, hasFailed }: HumanCheck) {
  if (!needsHumanCheck) return null;
  return (
    <div aria-live="polite">
      <div ref={container} />
      {hasFailed && (
        <p class="notice warn">
          The check that you’re human couldn’t be loaded. Allow {origin} in your browser, then
          reload this page.
        </p>
      )}
    </div>
  );
}

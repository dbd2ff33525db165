import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/**
 * What Turnstile's script adds to the page, as far as it is used:
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

/** Whether this deployment has Turnstile switched on. */
export const needsHumanCheck = siteKey !== undefined && origin !== undefined;

export interface HumanCheck {
  /** For the call; undefined: there is none yet, or none is needed. */
  readonly token: string | undefined;
  /** Where the widget is to be rendered. */
  readonly container: { current: HTMLDivElement | null };
  readonly hasFailed: boolean;
  /** A token can be used once: asks for another one. */
  readonly renew: () => void;
}

/** State of a Turnstile widget, where there is one. */
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
          callback: (given) => {
            setFailed(false);
            setToken(given);
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

/** The place of the widget; nothing where Turnstile is off. */
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

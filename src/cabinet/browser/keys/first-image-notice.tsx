import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Statistics } from '../api/wire.ts';
import { arrivalText, type FirstImage, firstImage } from './first-image.ts';

/** Waits for the first image that a key optimizes, and reports the outcome. Its height does not change. */
export function FirstImageNotice({ keyId, onArrived }: { keyId: string; onArrived: () => void }) {
  const [outcome, setOutcome] = useState<FirstImage | null>(null);
  /** How often waiting has been started. */
  const [waits, setWaits] = useState(1);
  useEffect(() => {
    const stop = new AbortController();
    void firstImage(pageFor(keyId), stop.signal).then((found) => {
      if (stop.signal.aborted) return;
      setOutcome(found);
      if (found !== 'none') onArrived();
    });
    return () => stop.abort();
  }, [keyId, waits]);

  function waitAgain() {
    setOutcome(null);
    setWaits(waits + 1);
  }

  const hasArrived = outcome !== null && outcome !== 'none';
  return (
    <div class={hasArrived ? 'first-image arrived' : 'first-image'}>
      <p role="status">
        {outcome === null && (
          <>
            <span class="pulse" aria-hidden="true" /> Waiting for your first image…
          </>
        )}
        {outcome === 'none' && 'No image has arrived yet.'}
        {hasArrived && (
          <>
            <span class="tick" aria-hidden="true">
              ✓
            </span>{' '}
            {arrivalText(outcome)}
          </>
        )}
      </p>
      {outcome === 'none' && (
        <button class="button small" type="button" onClick={waitAgain}>
          Check again
        </button>
      )}
    </div>
  );
}

function pageFor(keyId: string): Parameters<typeof firstImage>[0] {
  const path = `/v1/statistics?${new URLSearchParams({ key_id: keyId })}`;
  return {
    ask: () => call<Statistics>('GET', path),
    isVisible: () => document.visibilityState === 'visible',
    untilVisible: (signal) =>
      new Promise((resolve) => {
        const options = { once: true, signal };
        document.addEventListener('visibilitychange', () => resolve(), options);
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}

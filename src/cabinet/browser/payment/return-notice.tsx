import { useRef } from 'preact/hooks';
import { cancelledWords, returnWords } from './return-words.ts';
import type { Awaited } from './use-confirmation.ts';

/** What is said to someone who comes back from the payment page: with a payment, or having left it. */
export function ReturnNotice({ awaited }: { awaited: Awaited | null }) {
  const place = useRef<HTMLDivElement>(null);
  const { title, text, isGood } =
    awaited === null ? cancelledWords : returnWords(awaited.confirmation, awaited.isLate);
  return (
    <div class={`notice stack ${isGood ? '' : 'warn'}`} ref={place} tabIndex={-1}>
      <p role="status">
        <strong>{title}</strong> {text}
      </p>
      {awaited?.confirmation.kind === 'waiting' && awaited.isLate && (
        <p>
          <button
            class="button small"
            type="button"
            onClick={() => {
              // the button goes away until there is a reason for it again
              place.current?.focus();
              awaited.lookAgain();
            }}
          >
            Check again
          </button>
        </p>
      )}
    </div>
  );
}

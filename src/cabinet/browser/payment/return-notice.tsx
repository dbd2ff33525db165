import { useEffect, useRef, useState } from 'preact/hooks';
import type { Payment } from '../api/wire.ts';
import {
  type Confirmation,
  cancelledWords,
  confirmationOf,
  pauses,
  returnWords,
} from './confirmation.ts';

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

interface Awaited {
  readonly confirmation: Confirmation;
  /** Looking by itself has ended without an answer. */
  readonly isLate: boolean;
  /** Looks again, and goes on looking. */
  readonly lookAgain: () => void;
}

/**
 * Looks at the payments again and again until one of them is settled.
 * @param paymentId null: none is awaited
 */
export function useConfirmation(
  paymentId: string | null,
  payments: readonly Payment[] | null,
  look: () => void,
): Awaited {
  const [looks, setLooks] = useState(0);
  const lookNow = useRef(look);
  lookNow.current = look;

  const confirmation: Confirmation =
    paymentId !== null && payments ? confirmationOf(paymentId, payments) : { kind: 'waiting' };
  const isWaiting = paymentId !== null && confirmation.kind === 'waiting';
  const pause = pauses[looks];
  useEffect(() => {
    if (!isWaiting || pause === undefined) return;
    const timer = setTimeout(() => {
      lookNow.current();
      setLooks((count) => count + 1);
    }, pause * 1000);
    return () => clearTimeout(timer);
  }, [isWaiting, pause]);

  return {
    confirmation,
    isLate: pause === undefined,
    lookAgain: () => {
      look();
      setLooks(0);
    },
  };
}

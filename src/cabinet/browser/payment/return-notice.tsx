import { useEffect, useRef, useState } from 'preact/hooks';
import type { Payment } from '../api/wire.ts';
import {
  cancelledMessage,
  type PaymentState,
  paymentState,
  pollDelays,
  returnMessage,
} from './confirmation.ts';

/** The notice shown after returning from the payment page, whether paid or cancelled. */
export function ReturnNotice({
  confirmation,
}: {
  /** Null if the payment was cancelled. */
  confirmation: Confirmation | null;
}) {
  const container = useRef<HTMLDivElement>(null);
  const { title, text, isGood } =
    confirmation === null
      ? cancelledMessage
      : returnMessage(confirmation.state, confirmation.isPollingOver);
  return (
    <div class={`notice stack ${isGood ? '' : 'warn'}`} ref={container} tabIndex={-1}>
      <p role="status">
        <strong>{title}</strong> {text}
      </p>
      {confirmation?.state.kind === 'waiting' && confirmation.isPollingOver && (
        <p>
          <button
            class="button small"
            type="button"
            onClick={() => {
              // The button is removed while polling.
              container.current?.focus();
              confirmation.checkAgain();
            }}
          >
            Check again
          </button>
        </p>
      )}
    </div>
  );
}

export interface Confirmation {
  readonly state: PaymentState;
  /** Whether polling has ended without a result. */
  readonly isPollingOver: boolean;
  /** Checks now, and resumes polling. */
  readonly checkAgain: () => void;
}

/**
 * Polls the payments until the given payment is settled.
 * @param paymentId null: does not poll
 */
export function useConfirmation(
  paymentId: string | null,
  payments: readonly Payment[] | null,
  reload: () => void,
): Confirmation {
  const [polls, setPolls] = useState(0);
  const reloadNow = useRef(reload);
  reloadNow.current = reload;

  const state: PaymentState =
    paymentId !== null && payments
      ? paymentState(paymentId, payments)
      : { kind: 'waiting', price: null };
  const isWaiting = paymentId !== null && state.kind === 'waiting';
  const delay = pollDelays[polls];
  useEffect(() => {
    if (!isWaiting || delay === undefined) return;
    const timer = setTimeout(() => {
      reloadNow.current();
      setPolls((count) => count + 1);
    }, delay * 1000);
    return () => clearTimeout(timer);
  }, [isWaiting, delay]);

  return {
    state,
    isPollingOver: delay === undefined,
    checkAgain: () => {
      reload();
      setPolls(0);
    },
  };
}

import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import { waitText } from '../api/failure.ts';
import type { CodeRequested } from '../api/wire.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { addressComplaint, type PendingCode, pendingCode, requestFailure } from './code-request.ts';

/** The ways on for those whose code does not arrive. */
export function AnotherCode({
  pending,
  onSent,
  onLater,
  onOtherAddress,
}: {
  pending: PendingCode;
  onSent: (pending: PendingCode) => void;
  /** Another code can be asked for later than was thought. */
  onLater: (pending: PendingCode) => void;
  onOtherAddress: () => void;
}) {
  const { isBusy, failure, run } = useAction();
  const [isSent, setSent] = useState(false);
  const wait = useSecondsUntil(pending.againAt);
  const { email } = pending;

  useEffect(() => {
    const seconds = failure?.retryAfter;
    if (typeof seconds === 'number') onLater({ ...pending, againAt: Date.now() + seconds * 1000 });
  }, [failure]);

  async function send() {
    if (isBusy || wait > 0) return;
    setSent(false);
    const answer = await run<CodeRequested>('POST', '/v1/auth/request-code', { email });
    if (answer === null) return;
    setSent(true);
    onSent(pendingCode(email, answer, Date.now()));
  }

  const complaint = addressComplaint(failure);
  return (
    <div class="stack another-code">
      <FailureNotice failure={complaint ? failure : requestFailure(failure)} />
      <p role="status" class={isSent ? 'notice' : undefined}>
        {isSent && 'Another code is on its way. The earlier one does not work any more.'}
      </p>
      <p class="soft" id="another-code-wait">
        Nothing there? Look into the spam folder.
        {wait > 0 && ` Another code can be sent in ${waitText(wait)}.`}
      </p>
      <div class="cluster">
        <button
          class="button small"
          type="button"
          aria-busy={isBusy}
          aria-disabled={isBusy || wait > 0}
          aria-describedby="another-code-wait"
          onClick={send}
        >
          Send another code
        </button>
        <button class="button small" type="button" onClick={onOtherAddress}>
          Use another address
        </button>
      </div>
    </div>
  );
}

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

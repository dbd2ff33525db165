import { useRef } from 'preact/hooks';
import { filesText } from '../../text/sizes.ts';
import type { Awaited } from './use-confirmation.ts';

/** What is said to someone who comes back from the payment page. */
export function ReturnNotice({
  result,
  awaited,
}: {
  result: 'success' | 'cancelled';
  awaited: Awaited;
}) {
  const place = useRef<HTMLDivElement>(null);
  const { confirmation, isLate, lookAgain } = awaited;
  return (
    <div class={`notice stack ${isCalm(result, awaited) ? '' : 'warn'}`} ref={place} tabIndex={-1}>
      <div role="status">
        <Words result={result} awaited={awaited} />
      </div>
      {result === 'success' && confirmation.kind === 'waiting' && isLate && (
        <p>
          <button
            class="button small"
            type="button"
            onClick={() => {
              // the button goes away until there is a reason for it again
              place.current?.focus();
              lookAgain();
            }}
          >
            Check again
          </button>
        </p>
      )}
    </div>
  );
}

function addedText(files: number): string {
  return `${filesText(files)} ${files === 1 ? 'was' : 'were'} added to your account.`;
}

function isCalm(result: string, { confirmation, isLate }: Awaited): boolean {
  return (
    result === 'success' &&
    (confirmation.kind === 'paid' || (confirmation.kind === 'waiting' && !isLate))
  );
}

function Words({ result, awaited }: { result: 'success' | 'cancelled'; awaited: Awaited }) {
  const { confirmation, isLate } = awaited;
  if (result === 'cancelled') {
    return (
      <p>
        <strong>Nothing was charged.</strong> You left the payment page before paying. You can buy a
        pack whenever you like.
      </p>
    );
  }
  switch (confirmation.kind) {
    case 'paid':
      return (
        <p>
          <strong>Thank you. Your payment is confirmed.</strong>{' '}
          {addedText(confirmation.payment.files)}
        </p>
      );
    case 'failed':
      return (
        <p>
          <strong>The payment did not go through.</strong> Nothing was charged. You can try again
          with another way of paying.
        </p>
      );
    case 'waiting':
      return (
        <p>
          <strong>Thank you.</strong>{' '}
          {isLate
            ? 'The payment is still being confirmed. Some ways of paying take hours; the files appear in your account by themselves, and you can close this page.'
            : 'Your files appear here as soon as the payment is confirmed, usually within a minute.'}
        </p>
      );
  }
}

import type { Failure } from '../api/failure.ts';

/** Says what went wrong, and offers what can be done about it. */
export function FailureNotice({
  failure,
  isAlert = true,
  isBusy = false,
  onRetry,
}: {
  failure: Failure | null;
  /** Whether it is announced by itself; not where many may stand together. */
  isAlert?: boolean;
  /** It is being tried again. */
  isBusy?: boolean;
  onRetry?: (() => void) | undefined;
}) {
  if (failure === null) return null;
  const isSessionOver = failure.code === 'auth_required';
  return (
    <div class="notice error stack">
      {/* each failure is announced, be it in the same words; the button below stays, and keeps the focus */}
      <p key={failure} role={isAlert ? 'alert' : undefined}>
        {failure.message}
      </p>
      {(onRetry !== undefined || isSessionOver) && (
        <p class="cluster">
          {onRetry && (
            <button
              class="button small"
              type="button"
              aria-busy={isBusy}
              aria-disabled={isBusy}
              onClick={() => isBusy || onRetry()}
            >
              <span aria-live="polite">{isBusy ? 'One moment …' : 'Try again'}</span>
            </button>
          )}
          {isSessionOver && (
            <a class="button small" href="/sign-in" target="_blank" rel="noreferrer">
              Sign in
            </a>
          )}
        </p>
      )}
      {failure.requestId && failure.code === 'internal_error' && (
        <p class="soft">Request {failure.requestId}</p>
      )}
    </div>
  );
}

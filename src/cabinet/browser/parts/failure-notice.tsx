import type { Failure } from '../api/failure.ts';

/** Says what went wrong, and offers what can be done about it. */
export function FailureNotice({
  failure,
  onRetry,
}: {
  failure: Failure | null;
  onRetry?: () => void;
}) {
  if (failure === null) return null;
  return (
    <div class="notice error stack" role="alert">
      <p>{failure.message}</p>
      {(onRetry !== undefined || failure.code === 'auth_required') && (
        <p class="cluster">
          {onRetry && (
            <button class="button small" type="button" onClick={onRetry}>
              Try again
            </button>
          )}
          {failure.code === 'auth_required' && (
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

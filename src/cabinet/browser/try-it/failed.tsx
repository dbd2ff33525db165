import type { Failure } from '../api/failure.ts';
import { mayPass } from './retry.ts';

/** Why one picture failed. No alert: many may fail at once, and are announced together. */
export function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  return (
    <div class="notice error stack">
      <p>{failure.message}</p>
      {mayPass(failure) && (
        <p>
          <button class="button small" type="button" onClick={onRetry}>
            Try again
          </button>
        </p>
      )}
      {failure.requestId && failure.code === 'internal_error' && (
        <p class="soft">Request {failure.requestId}</p>
      )}
    </div>
  );
}

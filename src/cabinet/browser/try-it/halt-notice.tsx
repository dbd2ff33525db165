import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';

/** What keeps all pictures from being sent, and the way on. */
export function HaltNotice({ failure, onRetry }: { failure: Failure | null; onRetry: () => void }) {
  return (
    <>
      <FailureNotice failure={failure} onRetry={onRetry} />
      {failure?.code === 'quota_exceeded' && (
        <p>
          {/* in a tab of its own: the pictures stay here */}
          <a class="button" href="/cabinet/payment" target="_blank" rel="noreferrer">
            Buy files in a new tab
          </a>
        </p>
      )}
    </>
  );
}

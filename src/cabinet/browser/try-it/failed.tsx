import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { mayPass } from './retry.ts';

/** Why one picture failed. No alert: many may fail at once, and are announced together. */
export function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  return (
    <FailureNotice
      failure={failure}
      isAlert={false}
      onRetry={mayPass(failure) ? onRetry : undefined}
    />
  );
}

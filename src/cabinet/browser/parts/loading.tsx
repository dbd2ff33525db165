import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/use-loaded.ts';
import { FailureNotice } from './failure-notice.tsx';

/** What is shown of something loaded: a word while waiting, why not, or the thing itself. */
export function Loading<Body>({
  loaded,
  children,
}: {
  loaded: Loaded<Body>;
  children: (body: Body) => ComponentChildren;
}) {
  return (
    <>
      <FailureNotice failure={loaded.failure} onRetry={loaded.reload} />
      {loaded.body !== null && children(loaded.body)}
      {loaded.body === null && loaded.isLoading && <p class="soft">One moment …</p>}
    </>
  );
}

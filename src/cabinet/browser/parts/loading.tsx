import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
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
  const { body, failure, isLoading } = loaded;
  const place = useRef<HTMLDivElement>(null);
  const isRetried = useRef(false);
  useLayoutEffect(() => {
    if (failure !== null || !isRetried.current) return;
    isRetried.current = false;
    // the button that was pressed is gone: readers go on at what has come instead
    if (document.activeElement === document.body) place.current?.focus();
  }, [failure]);

  function retry() {
    isRetried.current = true;
    loaded.reload();
  }

  return (
    <div class="stack loaded" tabIndex={-1} ref={place} aria-busy={isLoading}>
      <FailureNotice failure={failure} isBusy={isLoading} onRetry={retry} />
      {body !== null && children(body)}
      {body === null && failure === null && isLoading && <p class="soft late">One moment …</p>}
    </div>
  );
}

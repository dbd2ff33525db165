import { useEffect } from 'preact/hooks';
import { useAction } from '../api/use-action.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';

/** Ends the session of this browser, or all of them. */
export function SignOut() {
  const { isBusy, failure, run } = useAction();
  const isOver = failure?.code === 'auth_required';
  useEffect(() => {
    // the session had ended already: that is what was asked for
    if (isOver) location.assign('/');
  }, [isOver]);

  async function leave(everywhere: boolean) {
    if (isBusy) return;
    if (await run('POST', '/v1/auth/logout', { everywhere })) location.assign('/');
  }

  return (
    <>
      <FailureNotice failure={isOver ? null : failure} />
      <p class="cluster">
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void leave(false)}
        >
          Sign out
        </button>
        <button
          class="button"
          type="button"
          aria-disabled={isBusy}
          onClick={() => void leave(true)}
        >
          Sign out on every device
        </button>
      </p>
    </>
  );
}

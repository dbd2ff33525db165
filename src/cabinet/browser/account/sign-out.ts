import { useEffect } from 'preact/hooks';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';

export interface SignOut {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Ends this session, or all sessions of the user if `everywhere`, and navigates to the front page. */
  readonly signOut: (everywhere: boolean) => Promise<void>;
}

/** The state of signing out. */
export function useSignOut(): SignOut {
  const { isBusy, failure, run } = useAction();
  const isSignedOut = failure?.code === 'auth_required';
  useEffect(() => {
    // The session had already ended, which is what the user wants.
    if (isSignedOut) location.assign('/');
  }, [isSignedOut]);

  async function signOut(everywhere: boolean) {
    if (isBusy) return;
    if (await run('POST', '/v1/auth/logout', { everywhere })) location.assign('/');
  }

  return { isBusy, failure: isSignedOut ? null : failure, signOut };
}

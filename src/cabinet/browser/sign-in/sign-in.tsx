import { useState } from 'preact/hooks';
import { destination } from '../../text/destination.ts';
import { AddressStep } from './address-step.tsx';
import { CodeStep } from './code-step.tsx';
import { keepPendingCode, keptPendingCode, type PendingCode } from './pending-code.ts';

/** Signing in: the address, then the code that was mailed to it. */
export function SignIn() {
  const [pending, setPending] = useState(keptPendingCode);
  const [email, setEmail] = useState(pending?.email ?? '');

  function wait(next: PendingCode | null) {
    keepPendingCode(next);
    setPending(next);
  }

  function enter() {
    keepPendingCode(null);
    location.replace(destination(location.search, location.origin));
  }

  return (
    <div class="card sign-in">
      {pending === null ? (
        <AddressStep email={email} onEmail={setEmail} onPending={wait} />
      ) : (
        <CodeStep
          pending={pending}
          onPending={wait}
          onOtherAddress={() => wait(null)}
          onSignedIn={enter}
        />
      )}
    </div>
  );
}

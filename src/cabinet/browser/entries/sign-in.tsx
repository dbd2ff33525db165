import '../../design/index.css';
import '../../design/sign-in.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { destination } from '../../text/navigation.ts';
import { AddressStep } from '../sign-in/address-step.tsx';
import { keepPendingCode, keptPendingCode, type PendingCode } from '../sign-in/code-request.ts';
import { CodeStep } from '../sign-in/code-step.tsx';

/** Signing in: the address, then the code that was mailed to it. */
function SignIn() {
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

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<SignIn />, root);
}

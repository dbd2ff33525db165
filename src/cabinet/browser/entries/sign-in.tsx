import '../../design/index.css';
import '../../design/sign-in.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { destination } from '../../text/interface.ts';
import { AddressStep } from '../sign-in/address-step.tsx';
import { loadPendingCode, type PendingCode, storePendingCode } from '../sign-in/code-request.ts';
import { CodeStep } from '../sign-in/code-step.tsx';

/** The sign-in flow: asks for an email address, then for the code sent to it. */
function SignIn() {
  const [pending, setPending] = useState(loadPendingCode);
  const [email, setEmail] = useState(pending?.email ?? '');

  function setPendingCode(next: PendingCode | null) {
    storePendingCode(next);
    setPending(next);
  }

  function enter() {
    storePendingCode(null);
    location.replace(destination(location.search, location.origin));
  }

  return (
    <div class="card sign-in">
      {pending === null ? (
        <AddressStep email={email} onEmail={setEmail} onPending={setPendingCode} />
      ) : (
        <CodeStep
          pending={pending}
          onPending={setPendingCode}
          onOtherAddress={() => setPendingCode(null)}
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

import '../../design/index.css';
import '../../design/sign-in.css';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
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
      <DeletionNotice />
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

/** Confirms that an account has been deleted, once: not again when the page is reloaded. */
function DeletionNotice() {
  const [isShown] = useState(() => new URLSearchParams(location.search).has('deleted'));
  useEffect(() => {
    if (isShown) history.replaceState(null, '', location.pathname);
  }, [isShown]);
  if (!isShown) return null;
  return (
    <p class="notice" role="status">
      Your account has been deleted. Signing in with the same address creates a new one.
    </p>
  );
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<SignIn />, root);
}

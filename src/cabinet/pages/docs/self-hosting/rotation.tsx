import { CodeBlock } from '../../code-block.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';

/** How each secret is replaced, and what that does. */
export function Rotation() {
  return (
    <>
      <p>
        <strong>KEY_SECRETS.</strong> Put a new pair in front, which deploys it, seal the stored
        keys anew, and take the old pair away. API keys go on working all the time, and are shown in
        the cabinet all the time. Cloudflare does not give secrets back: keep the present value
        where you keep passwords. Paste it into this, and press Enter; it is not shown:
      </p>
      <CodeBlock label="Rotate KEY_SECRETS of a deployment" code={code.rotateRemotely} />
      <p>
        It waits a minute, until nothing runs any more that has the old value alone. The key that
        you make and revoke is the first one under the new pair: it shows the command that the
        service has the same secret. With a mistyped one all keys would be sealed away, so without
        such a key the command refuses. What fails ends the chain, and the old pair stays: see why,
        and go on from <code>npm run rotate-keys</code>; in another terminal put the value that you
        kept into <code>KEY_SECRETS</code> first.
      </p>
      <p>
        The command says how many keys it has sealed anew, how many are under which version, and
        whether the old pairs may go; it may be stopped and run again, beside a running service, and
        never undoes a revocation or a deletion. A key that none of the secrets opens is left alone:
        it works, but is no longer shown, and its owner can reissue it. While there is one, the
        command ends with status 1: do not remove a secret before you know why. On your own machine,
        where the secrets stand in <code>.dev.vars</code>, the command reads the same as the service
        and needs no key to compare:
      </p>
      <CodeBlock label="Rotate KEY_SECRETS of the local service" code={code.rotateLocally} />
      <p>
        <strong>CODE_SECRET.</strong> Just replace it. Codes that are on their way no longer work,
        so people ask for another one; sessions stay. Addresses and networks are counted under it,
        so the limits on codes begin anew, and whoever deleted an account this month and comes back
        has the month’s free files again.
      </p>
      <CodeBlock label="Replace CODE_SECRET" code={code.rotateCode} />
      <p>
        <strong>Stripe.</strong> Roll the secret key at Stripe, and put the new one; do the same
        with the signing secret of the webhook endpoint, and let the old one expire after 24 hours:
        until then Stripe signs with both. Events that were refused meanwhile come again.
      </p>
      <CodeBlock label="Replace Stripe’s secrets" code={code.rotateStripe} />
    </>
  );
}

import { CodeBlock } from '../../code-block.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';
import { webhookEvents } from '../settings.ts';

/** How to sell files. */
export function Payments() {
  return (
    <>
      <p>
        Without Stripe’s secrets nothing is sold, and everything else works. To sell files, write
        your packs into <code>QUOTA_PACKS</code>, add a webhook endpoint at Stripe for{' '}
        <code>https://img.example/v1/payments/webhook</code>, and choose these events:
      </p>
      <ul>
        {webhookEvents.map((event) => (
          <li key={event}>
            <code>{event}</code>
          </li>
        ))}
      </ul>
      <CodeBlock label="Set Stripe’s secrets" code={code.stripe} />
      <p>
        Try it with a test key first. Files are credited when Stripe says that the money has come.
        Refunds take them back in proportion; disputes take all of them back, until they are won. No
        balance goes below zero. Events may come twice or out of order.
      </p>
    </>
  );
}

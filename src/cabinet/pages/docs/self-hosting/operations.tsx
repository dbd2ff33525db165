import { CodeBlock } from '../../code-block.tsx';
import { DocsTable } from '../docs-table.tsx';
import { MarkedLine } from '../marked.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';
import { logMembers } from './log-members.ts';

/** How to see that all is well, and what to look at when it is not. */
export function Operations() {
  return (
    <>
      <p>
        Let a monitor ask <code>/v1/health</code> every minute: 200 when the database takes writes
        and has its newest migration, and the store answers; 503 with <code>failing</code>{' '}
        otherwise. It needs no key. A call is a request to the Worker like any other, with two
        statements to D1 and one read of KV at most: what was found stands for five seconds.
      </p>
      <p>
        Every request leaves one object in Workers Logs, whatever was answered; only one whose
        isolate Cloudflare ends, for memory or CPU time, leaves none: that is in the metrics of the
        Worker, as exceeded resources. Images, keys, codes, cookies, addresses, IPs, paths, queries,
        file names and URLs are in none. <code>REQUEST_LOG</code> turns it off;{' '}
        <code>npm start</code> has it off, since <code>wrangler dev</code> prints a line of its own,
        and <code>REQUEST_LOG=true npm start</code> shows it.
      </p>
      <DocsTable
        caption="What is logged of a request"
        columns={['Member', 'What it says']}
        rows={Object.entries(logMembers).map(([name, text]) => ({
          id: name,
          cells: [<code key="name">{name}</code>, <MarkedLine key="text" text={text} />],
        }))}
      />
      <p>
        In the dashboard, under Observability, filter by <code>event = request</code> and group by{' '}
        <code>route</code>, <code>status</code>, <code>code</code> or <code>key_id</code>; or read
        along:
      </p>
      <CodeBlock label="Requests that failed, live" code={code.tail} />
      <p>
        Besides, faults are logged as errors, with the <code>request_id</code> where there is one.
        Worth an alert:
      </p>
      <ul>
        <li>
          <code>/v1/health</code> is not 200 for two minutes.
        </li>
        <li>
          Any <code>status</code> of 500: there is an error with the same <code>request_id</code>{' '}
          and a stack.
        </li>
        <li>
          <code>code = overloaded</code> in more than one of a hundred requests: memory is short,
          see <code>predicted_peak</code>; or a part does not answer, see <code>/v1/health</code>.
        </li>
        <li>
          <code>event = email_not_sent</code> or <code>not_followed_up</code>: people cannot sign
          in.
        </li>
        <li>
          <code>event = not_booked</code>, <code>checkout_failed</code>,{' '}
          <code>payment_does_not_fit</code>, <code>refund_does_not_fit</code>,{' '}
          <code>payment_event_malformed</code> or <code>payment_of_deleted_account</code>: someone
          has to look at it.
        </li>
      </ul>
    </>
  );
}

import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';
import { MarkedLine } from './marked.tsx';
import { selfHostingCode as code } from './self-hosting-code.ts';
import { secrets, variables, webhookEvents } from './settings.ts';

const parts = {
  local: { id: 'local', title: 'On your own machine' },
  deploy: { id: 'deploy', title: 'On Cloudflare' },
  payments: { id: 'payments', title: 'Payments' },
  variables: { id: 'variables', title: 'Variables' },
  secrets: { id: 'secrets', title: 'Secrets' },
  egress: { id: 'egress', title: 'What image URLs can reach' },
  storage: { id: 'storage', title: 'What is stored where' },
  update: { id: 'update', title: 'Updating' },
} as const;

/** /docs/self-hosting: a service of one's own. */
export function selfHostingPage(site: Site): string {
  return docsPage({
    site,
    path: '/docs/self-hosting',
    sections: Object.values(parts),
    lead: 'The service is one Worker with a database (D1), a key–value store (KV) and a mail binding. It runs on your machine with one command, and on your Cloudflare account with a few.',
    children: (
      <>
        <DocsSection section={parts.local}>
          <p>
            You need git, npm and Node 20 or later. In a clone of the repository, this starts
            everything with a local database and local mail:
          </p>
          <CodeBlock label="Start, and a first call" code={code.local} />
          <p>
            Sign-in mails are not sent: they are shown in the terminal, with the code in their
            subject. Besides:
          </p>
          <CodeBlock label="More commands" code={code.localMore} />
          <p>
            Local data lie in <code>.wrangler/state</code>, or where <code>STATE_DIR</code> says;
            give the commands the same <code>STATE_DIR</code>. <code>npm start</code> writes secrets
            for this machine into <code>.dev.vars</code>, where variables can be set, too. Safari
            does not keep the session on <code>http://localhost</code>: sign in with Chrome or
            Firefox there.
          </p>
        </DocsSection>
        <DocsSection section={parts.deploy}>
          <Deployment />
        </DocsSection>
        <DocsSection section={parts.payments}>
          <Payments />
        </DocsSection>
        <DocsSection section={parts.variables}>
          <p>
            In <code>wrangler.toml</code>, or in <code>.dev.vars</code> for a single machine. A
            malformed one stops the start or the deploy, and is named.
          </p>
          <SettingsTable caption="Variables" settings={variables} />
        </DocsSection>
        <DocsSection section={parts.secrets}>
          <p>
            With <code>npx wrangler secret put</code>; never in <code>wrangler.toml</code>. To
            rotate, put a new pair in front of <code>KEY_SECRETS</code> and keep the old ones behind
            it.
          </p>
          <SettingsTable caption="Secrets" settings={secrets} />
        </DocsSection>
        <DocsSection section={parts.egress}>
          <p>
            URLs are judged by how they are written: private, local and reserved addresses,{' '}
            <code>localhost</code>, <code>*.local</code>, <code>*.internal</code> and the service’s
            own host are refused, after redirects, too. A public name that resolves to a private
            address is not noticed, since a Worker does not see DNS answers. On Cloudflare private
            networks are out of reach anyway; where you run workerd yourself beside private hosts,
            filter its egress.
          </p>
          <p>
            <code>PRIVATE_SOURCES</code> opens single hosts, <code>ALLOW_HTTP_SOURCES</code> plain
            http.
          </p>
        </DocsSection>
        <DocsSection section={parts.storage}>
          <Storage />
        </DocsSection>
        <DocsSection section={parts.update}>
          <CodeBlock label="Update" code={code.update} />
          <p>
            The schema is applied with every deploy, and adds tables that are missing. It does not
            alter those that are there: look at the changes of <code>schema.sql</code> before you
            deploy a new version over an old one.
          </p>
        </DocsSection>
      </>
    ),
  });
}

function Deployment() {
  return (
    <ol class="docs-steps">
      <li>
        <p>
          You need a Workers Paid plan: the free one gives 10 ms of CPU time, and coding a picture
          takes more. Make the database and the store:
        </p>
        <CodeBlock label="Make the resources" code={code.resources} />
      </li>
      <li>
        <p>
          Put the ids that these print into <code>wrangler.toml</code>:
        </p>
        <CodeBlock label="wrangler.toml: bindings" code={code.bindings} />
      </li>
      <li>
        <p>Set the two secrets:</p>
        <CodeBlock label="Set the secrets" code={code.secrets} />
      </li>
      <li>
        <p>
          Onboard a domain for sending in{' '}
          <a href="https://developers.cloudflare.com/email-service/">Cloudflare’s Email Service</a>,
          and give the Worker a domain of its own. <code>MAIL_FROM</code> is an address of the
          former, <code>PUBLIC_ORIGIN</code> the origin of the latter:
        </p>
        <CodeBlock label="wrangler.toml: domain" code={code.domain} />
        <p>
          Set <code>ALLOWED_EMAIL_DOMAINS</code> to your own domain if only your people should sign
          in.
        </p>
      </li>
      <li>
        <p>Deploy, ask whether it is up, and give yourself some files:</p>
        <CodeBlock label="Deploy" code={code.deploy} />
      </li>
    </ol>
  );
}

function Payments() {
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
        Try it with a test key first. Files are credited when Stripe says that the money has come;
        refunds take them back in proportion, disputes until they are won. Events may come twice or
        out of order.
      </p>
    </>
  );
}

function SettingsTable({ caption, settings }: { caption: string; settings: typeof variables }) {
  return (
    <DocsTable
      caption={caption}
      columns={['Name', 'Default', 'Meaning']}
      rows={settings.map(({ name, fallback, meaning }) => ({
        id: name,
        cells: [
          <code key="name">{name}</code>,
          fallback === '' ? 'empty' : fallback,
          <MarkedLine key="meaning" text={meaning} />,
        ],
      }))}
    />
  );
}

function Storage() {
  return (
    <>
      <p>Pictures are never stored, and keys, addresses and image URLs are never logged.</p>
      <DocsTable
        caption="What is stored where"
        columns={['What', 'Where', 'For how long']}
        rows={[
          {
            id: 'users',
            cells: ['Accounts: address, plan, quota', 'D1', 'until the account is deleted'],
          },
          {
            id: 'keys',
            cells: [
              'Keys: SHA-256, and the key itself under AES-256-GCM; name, comment, counters',
              'D1',
              'until the account is deleted; counters without a person for good',
            ],
          },
          {
            id: 'usage',
            cells: [
              'Files and bytes by key and day',
              'D1',
              'for good; without a person once the account is deleted',
            ],
          },
          {
            id: 'payments',
            cells: [
              'Payments: pack, amount, status',
              'D1',
              'for good, as accounts have to be kept',
            ],
          },
          {
            id: 'sessions',
            cells: ['Sessions: SHA-256 of the cookie', 'D1 and KV', '30 days, or until sign-out'],
          },
          {
            id: 'codes',
            cells: ['Sign-in codes, as HMAC', 'KV', '10 minutes'],
          },
          {
            id: 'tries',
            cells: [
              'Who asked for codes and tried them: address and network, as HMAC',
              'D1',
              'a day, for the limits',
            ],
          },
        ]}
      />
    </>
  );
}

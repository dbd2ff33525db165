import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { Deployment } from './self-hosting/deployment.tsx';
import { Operations } from './self-hosting/operations.tsx';
import { Payments } from './self-hosting/payments.tsx';
import { Rotation } from './self-hosting/rotation.tsx';
import { SettingsTable } from './self-hosting/settings-table.tsx';
import { type Lives, Storage } from './self-hosting/storage.tsx';
import { Update } from './self-hosting/update.tsx';
import { selfHostingCode as code } from './self-hosting-code.ts';
import { secrets, variables } from './settings.ts';

const parts = {
  local: { id: 'local', title: 'On your own machine' },
  deploy: { id: 'deploy', title: 'On Cloudflare' },
  payments: { id: 'payments', title: 'Payments' },
  variables: { id: 'variables', title: 'Variables' },
  secrets: { id: 'secrets', title: 'Secrets' },
  rotation: { id: 'rotation', title: 'Replacing secrets' },
  operations: { id: 'operations', title: 'Operations' },
  egress: { id: 'egress', title: 'What image URLs can reach' },
  storage: { id: 'storage', title: 'What is stored where' },
  update: { id: 'update', title: 'Updating' },
} as const;

/** /docs/self-hosting: a service of one's own. */
export function selfHostingPage(site: Site, lives: Lives): string {
  return docsPage({
    site,
    path: '/docs/self-hosting',
    sections: Object.values(parts),
    lead: 'The service is one Worker with a database (D1), a key–value store (KV) and a mail binding. It runs on your machine with one command, and on your Cloudflare account with a few.',
    children: (
      <>
        <DocsSection section={parts.local}>
          <Local />
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
            With <code>npx wrangler secret put</code>; never in <code>wrangler.toml</code>. Keep a
            copy of <code>KEY_SECRETS</code> where you keep passwords: Cloudflare does not show it
            again, and without it nobody sees the API keys any more.
          </p>
          <SettingsTable caption="Secrets" settings={secrets} />
        </DocsSection>
        <DocsSection section={parts.rotation}>
          <Rotation />
        </DocsSection>
        <DocsSection section={parts.operations}>
          <Operations />
        </DocsSection>
        <DocsSection section={parts.egress}>
          <Egress />
        </DocsSection>
        <DocsSection section={parts.storage}>
          <Storage {...lives} />
        </DocsSection>
        <DocsSection section={parts.update}>
          <Update />
        </DocsSection>
      </>
    ),
  });
}

function Local() {
  return (
    <>
      <p>
        You need git, npm and Node 20 or later. In a clone of the repository, this starts everything
        with a local database and local mail:
      </p>
      <CodeBlock label="Start, and a first call" code={code.local} />
      <p>
        Sign-in mails are not sent: they are shown in the terminal, with the code in their subject.
        Besides:
      </p>
      <CodeBlock label="More commands" code={code.localMore} />
      <p>
        Local data lie in <code>.wrangler/state</code>, or where <code>STATE_DIR</code> says; give
        the commands the same <code>STATE_DIR</code>. <code>npm start</code> writes secrets for this
        machine into <code>.dev.vars</code>, where variables can be set, too. Safari does not keep
        the session on <code>http://localhost</code>: sign in with Chrome or Firefox there.
      </p>
    </>
  );
}

function Egress() {
  return (
    <>
      <p>
        URLs are judged by how they are written: private, local and reserved addresses,{' '}
        <code>localhost</code>, <code>*.local</code>, <code>*.internal</code> and the service’s own
        host are refused, after redirects, too. A public name that resolves to a private address is
        not noticed, since a Worker does not see DNS answers. On Cloudflare a Worker does not reach
        private networks by itself; where you run workerd yourself beside private hosts, filter its
        egress.
      </p>
      <p>
        <code>PRIVATE_SOURCES</code> opens single hosts, <code>ALLOW_HTTP_SOURCES</code> plain http.
      </p>
    </>
  );
}

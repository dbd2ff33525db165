import { CodeBlock } from '../../code-block.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';

/** The way to Cloudflare, step by step. */
export function Deployment() {
  return (
    <ol class="docs-steps">
      <li>
        <p>
          From a repository of yours, a{' '}
          <a href="https://developers.cloudflare.com/workers/platform/deploy-buttons/">
            Deploy to Cloudflare button
          </a>{' '}
          makes database and store, asks for secrets and variables, and deploys; the domains remain
          to you. By hand it goes like this.
        </p>
        <p>
          You need a Workers Paid plan: the free one gives 10 ms of CPU time, and coding a picture
          takes more. Make the database:
        </p>
        <CodeBlock label="Make the database" code={code.resources} />
        <p>
          It is found by its name; the key–value store is made by the first deploy. Neither needs an
          id in <code>wrangler.toml</code>. With one there, the local service begins with new data,
          since those belong to the id.
        </p>
      </li>
      <li>
        <p>Set the two secrets. The first of these commands makes an empty Worker to hold them:</p>
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
        <p>
          See whether variables, migrations and the build are in order; this needs no account and
          changes nothing:
        </p>
        <CodeBlock label="Try the deploy" code={code.dryRun} />
      </li>
      <li>
        <p>
          Deploy: that makes the tables first, then the Worker. Ask whether it is up, and give
          yourself some files:
        </p>
        <CodeBlock label="Deploy" code={code.deploy} />
      </li>
      <li>
        <p>
          Sign in with your own address. When the mail does not come, look for{' '}
          <code>email_not_sent</code> in the <a href="#operations">log</a>.
        </p>
      </li>
    </ol>
  );
}

import { CodeBlock } from '../../code-block.tsx';
import { selfHostingCode as code } from '../self-hosting-code.ts';

/** The way to Cloudflare, step by step. */
export function Deployment() {
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

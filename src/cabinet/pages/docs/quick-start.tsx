import { countText } from '../../text/formatting.ts';
import { patientSnippets, quotaSnippet, snippets } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { CodeChoice } from './code-choice.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { ErrorLink } from './error-link.tsx';
import { Failures } from './quick-start/failures.tsx';

const parts = {
  signIn: { id: 'sign-in', title: '1. Sign in' },
  key: { id: 'key', title: '2. Make a key' },
  test: { id: 'test', title: '3. Test the key' },
  send: { id: 'send', title: '4. Send a picture' },
  read: { id: 'read', title: '5. Use what comes back' },
  failures: { id: 'failures', title: 'When something goes wrong' },
  secrecy: { id: 'secrecy', title: 'Keep the key secret' },
} as const;

/** /docs: from nothing to a smaller picture. */
export function quickStartPage(
  site: Site,
  limits: { readonly freeFilesPerMonth: number; readonly fileMebibytes: number },
): string {
  const { origin } = site;
  return docsPage({
    site,
    path: '/docs',
    sections: Object.values(parts),
    lead: 'Your server sends a picture, a smaller one comes back in the same call. From nothing to there in five steps, which take about two minutes.',
    children: (
      <>
        <DocsSection section={parts.signIn}>
          <p>
            <a href="/sign-in">Sign in</a> with your e-mail address. You get a mail with a code in
            its subject; there is no password. {countText(limits.freeFilesPerMonth)} files a month
            are free.
          </p>
        </DocsSection>
        <DocsSection section={parts.key}>
          <p>
            In the cabinet, under <a href="/cabinet/keys">Keys</a>, make a key and name it after the
            place where it will be used. A key begins with <code>imgo_</code>. Put it where your
            server keeps its secrets; here it is in the environment:
          </p>
          <CodeBlock label="Environment" code="export KEY=imgo_…" />
        </DocsSection>
        <DocsSection section={parts.test}>
          <p>Ask what is left of your quota. This costs nothing:</p>
          <CodeBlock label="What is left" code={quotaSnippet(origin)} />
          <p>
            <code>"plan"</code> and <code>"free_quota"</code> in the answer mean that the key works.{' '}
            <ErrorLink code="invalid_api_key" /> means that a part of it is missing, or that it was
            revoked.
          </p>
        </DocsSection>
        <DocsSection section={parts.send}>
          <p>
            The bytes of the picture are the body. Without any option it keeps its format and size
            and only gets lighter:
          </p>
          <CodeChoice id="first-call" label="First call" choices={snippets(origin, null)} />
          <p>
            The picture may be a JPEG, PNG, WebP or AVIF of up to {limits.fileMebibytes} MiB. What
            you want of it stands in the query: <code>?format=webp&amp;width=1600</code> makes a
            WebP for a web page. <a href="/docs/options">All options</a>, and{' '}
            <a href="/docs/limits#pixels">how many pixels fit</a>, which are many for a JPEG that
            stays one and far fewer for a WebP or AVIF.
          </p>
        </DocsSection>
        <DocsSection section={parts.read}>
          <p>
            Status 200 means that the body is the picture. The headers say what was won:{' '}
            <code>Image-Input-Bytes</code> and <code>Image-Output-Bytes</code>, and{' '}
            <code>Image-Optimized: true</code> where at least 1 % was saved. Only such a file counts
            against your quota. <a href="/docs/answers">All headers</a>
          </p>
        </DocsSection>
        <DocsSection section={parts.failures}>
          <p>
            Any other status comes with a small JSON object whose <code>code</code> never changes
            its meaning and whose <code>detail</code> says what to do. Keep the original, and use it
            whenever no smaller picture comes back.
          </p>
          <Failures />
          <p>This waits and tries again where that helps, and gives up where it does not:</p>
          <CodeChoice id="patient-call" label="With patience" choices={patientSnippets(origin)} />
          <p>
            <a href="/docs/errors">All errors</a>
          </p>
        </DocsSection>
        <DocsSection section={parts.secrecy}>
          <p class="notice warn">
            A key belongs on a server. Never put it into a web page, an app that people install, or
            a query string.
          </p>
          <ul>
            <li>
              Browsers cannot call <code>/v1/optimize</code> from other pages: it sends no CORS
              headers. Let your server make the call.
            </li>
            <li>
              Query strings end up in logs. A key that is seen in one is refused with{' '}
              <ErrorLink code="key_in_query" />; take it as published.
            </li>
            <li>
              Make one key per server or project. Then one can be revoked, or replaced by a new one
              with the same name, while the others go on.
            </li>
          </ul>
        </DocsSection>
      </>
    ),
  });
}

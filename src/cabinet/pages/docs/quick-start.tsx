import { countText } from '../../text/sizes.ts';
import { patientSnippets, quotaSnippet, snippets } from '../../text/snippets.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { CodeChoice } from './code-choice.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';

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
export function quickStartPage(site: Site, freeFilesPerMonth: number): string {
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
            its subject; there is no password. {countText(freeFilesPerMonth)} files a month are
            free.
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
            <a href="/docs/errors#invalid_api_key">
              <code>invalid_api_key</code>
            </a>{' '}
            means that a part of it is missing, or that it was revoked.
          </p>
        </DocsSection>
        <DocsSection section={parts.send}>
          <p>
            The bytes of the picture are the body, and what you want stands in the query: here, a
            WebP. Without any option the picture keeps its format and size and only gets lighter.
          </p>
          <CodeChoice id="first-call" label="First call" choices={snippets(origin, null)} />
          <p>
            No picture at hand? Any JPEG, PNG, WebP or AVIF of up to 32 MiB will do.{' '}
            <a href="/docs/options">All options</a>
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
          <DocsTable
            caption="What to do at which status"
            columns={['Status', 'What it means', 'What to do']}
            rows={failures}
          />
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
              <a href="/docs/errors#key_in_query">
                <code>key_in_query</code>
              </a>
              ; take it as published.
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

const failures = [
  {
    id: '402',
    cells: [
      '402',
      'The free and the paid files are used up.',
      'Serve originals until free_resets_at, or buy more files. Trying again does not help.',
    ],
  },
  {
    id: '429',
    cells: [
      '429',
      'Too many requests for the moment.',
      'Wait as many seconds as Retry-After says.',
    ],
  },
  {
    id: '503',
    cells: [
      '503',
      'Too much is going on at once. Nothing was charged.',
      'Wait as many seconds as Retry-After says.',
    ],
  },
  {
    id: '408',
    cells: ['408', 'The upload stalled.', 'Try again.'],
  },
  {
    id: '5xx',
    cells: [
      '500, 502',
      'Something failed on our side.',
      'Try again a few times, with longer and longer pauses.',
    ],
  },
  {
    id: '4xx',
    cells: [
      'Other 4xx',
      'The request or the picture is at fault.',
      'Do not try again. Read detail, and correct the request or keep the original.',
    ],
  },
];

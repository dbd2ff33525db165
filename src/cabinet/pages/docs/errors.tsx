import type { ErrorCode } from '../../../errors.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { errorAreas, helpFor } from './error-help.ts';
import { Fields } from './fields.tsx';
import { MarkedLine } from './marked.tsx';

/** An error as the API sends it. */
export interface ListedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
}

const body = { id: 'body', title: 'What an error looks like' };

/** /docs/errors: every code, under an anchor of its own name. */
export function errorsPage(site: Site, errors: readonly ListedError[]): string {
  return docsPage({
    site,
    path: '/docs/errors',
    sections: [body, ...errorAreas],
    lead: 'Every error has a code that never changes its meaning. Program against the code; show or log the detail.',
    children: (
      <>
        <DocsSection section={body}>
          <p>
            Errors are <code>application/problem+json</code> (RFC 9457). <code>detail</code> is one
            sentence that says what to do, <code>type</code> leads to the code’s entry on this page,
            and <code>request_id</code> is what to quote when you ask about it.
          </p>
          <CodeBlock label="HTTP/1.1 402 Payment Required" code={example(site.origin)} />
          <nav aria-label="All codes">
            <ul class="code-list">
              {errors.map(({ code }) => (
                <li key={code}>
                  <a href={`#${code}`}>
                    <code>{code}</code>
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </DocsSection>
        {errorAreas.map((area) => (
          <DocsSection section={area} key={area.id}>
            {errors
              .filter(({ code }) => helpFor(code).area === area.id)
              .map((error) => (
                <ErrorEntry key={error.code} {...error} />
              ))}
          </DocsSection>
        ))}
      </>
    ),
  });
}

function ErrorEntry({ code, status, title }: ListedError) {
  const { when, action, members } = helpFor(code);
  return (
    <article class="docs-entry" id={code} aria-labelledby={`${code}-title`}>
      <h3 id={`${code}-title`}>
        <a class="docs-anchor" href={`#${code}`}>
          <code>{code}</code>
        </a>
      </h3>
      <p class="docs-entry-status">
        <span class="badge off">{status}</span> {title}
      </p>
      <p>
        <MarkedLine text={when} />
      </p>
      <p>
        <strong>What to do:</strong> <MarkedLine text={action} />
      </p>
      {members && (
        <>
          <p>The body says besides:</p>
          <Fields
            fields={Object.entries(members).map(([name, text]) => ({
              name,
              children: <MarkedLine text={text} />,
            }))}
          />
        </>
      )}
    </article>
  );
}

function example(origin: string): string {
  const problem = {
    type: `${origin}/docs/errors#quota_exceeded`,
    title: 'Quota exceeded',
    status: 402,
    detail: 'This month’s free files and all paid ones are used up: buy more, or wait.',
    code: 'quota_exceeded',
    request_id: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
    free_resets_at: '2026-12-01T00:00:00.000Z',
  };
  return JSON.stringify(problem, null, 2);
}

import type { ErrorCode } from '../../../errors.ts';
import { CodeBlock } from '../code-block.tsx';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { errorAreas, errorHelp } from './error-help.ts';
import { Fields } from './fields.tsx';
import { MarkedLine } from './marked.tsx';

/** An error as the API sends it. */
export interface ListedError {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  /** When a caller meets it; code stands in backticks. */
  readonly when: string;
  /** What its body says besides. */
  readonly members: readonly { readonly name: string; readonly text: string }[];
}

const body = { id: 'body', title: 'What an error looks like' };

/**
 * /docs/errors: every code, under an anchor of its own name.
 * @param example the body of a 402
 */
export function errorsPage(site: Site, errors: readonly ListedError[], example: object): string {
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
          <CodeBlock
            label="HTTP/1.1 402 Payment Required"
            code={JSON.stringify(example, null, 2)}
          />
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
              .filter(({ code }) => errorHelp[code].area === area.id)
              .map((error) => (
                <ErrorEntry key={error.code} {...error} />
              ))}
          </DocsSection>
        ))}
      </>
    ),
  });
}

function ErrorEntry({ code, status, title, when, members }: ListedError) {
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
        <strong>What to do:</strong> <MarkedLine text={errorHelp[code].action} />
      </p>
      {members.length > 0 && (
        <>
          <p>The body says besides:</p>
          <Fields
            fields={members.map(({ name, text }) => ({
              name,
              children: <MarkedLine text={text} />,
            }))}
          />
        </>
      )}
    </article>
  );
}

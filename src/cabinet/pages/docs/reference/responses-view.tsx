import { CodeBlock } from '../../code-block.tsx';
import { DocsTable } from '../docs-table.tsx';
import { Marked, MarkedLine } from '../marked.tsx';
import type { ApiDocument, ApiResponse } from './api-document.ts';
import { ContentView } from './content-view.tsx';
import { examplesOf, type Operation, shownHeaders } from './operations.ts';
import { mediaExample } from './schema-example.ts';
import { TypeName } from './schema-view.tsx';

const problemType = 'application/problem+json';

/** What every answer carries is said once, on top of the page. */
export const everywhere: ReadonlySet<string> = new Set(['Request-Id', 'Cache-Control']);

/** What a call answers: its results in full, its errors by their codes. */
export function ResponsesView({ api, operation }: { api: ApiDocument; operation: Operation }) {
  const responses = Object.entries(operation.responses ?? {});
  const isProblem = ([, { content = {} }]: (typeof responses)[number]) => problemType in content;
  const problems = responses.filter(isProblem);
  return (
    <>
      {responses
        .filter((entry) => !isProblem(entry))
        .map(([status, response]) => (
          <ResultView key={status} {...{ api, status, response, operation }} />
        ))}
      {problems.length > 0 && (
        <>
          <h4>Errors</h4>
          <DocsTable
            caption={`Errors of ${operation.method} ${operation.path}`}
            columns={['Status', 'Code', 'When']}
            rows={problems.flatMap(([status, response]) => problemRows(api, status, response))}
          />
        </>
      )}
    </>
  );
}

function ResultView({
  api,
  status,
  response,
  operation,
}: {
  api: ApiDocument;
  status: string;
  response: ApiResponse;
  operation: Operation;
}) {
  const headers = shownHeaders(api, response.headers ?? {}).filter(
    ({ name }) => !everywhere.has(name),
  );
  const json = response.content?.['application/json'];
  return (
    <>
      <h4>
        Answer <span class="badge">{status}</span>
      </h4>
      <Marked text={response.description} />
      {response.content && <ContentView content={response.content} />}
      {headers.length > 0 && (
        <DocsTable
          caption={`Headers of the answer ${status} to ${operation.method} ${operation.path}`}
          columns={['Header', 'Type', 'Meaning']}
          rows={headers.map(({ name, schema, description, isRequired }) => ({
            id: name,
            cells: [
              <code key="name">{name}</code>,
              <TypeName key="type" schema={schema} />,
              <span key="meaning">
                <MarkedLine text={description} />
                {!isRequired && <span class="soft"> Not always there.</span>}
              </span>,
            ],
          }))}
        />
      )}
      {json && (
        <CodeBlock
          label={`Example: answer ${status} to ${operation.method} ${operation.path}`}
          code={JSON.stringify(mediaExample(api, json), null, 2)}
        />
      )}
    </>
  );
}

/** One row for each code; a status whose codes the document does not name has one. */
function problemRows(api: ApiDocument, status: string, response: ApiResponse) {
  const named = examplesOf(api, response.content?.[problemType] ?? {});
  if (named.length === 0) {
    return [
      { id: status, cells: [status, '', <MarkedLine key="when" text={response.description} />] },
    ];
  }
  const headers = shownHeaders(api, response.headers ?? {}).filter(
    ({ name }) => !everywhere.has(name),
  );
  return named.map(([code, { description = '' }]) => ({
    id: code,
    cells: [
      status,
      <a key="code" href={`/docs/errors#${code}`}>
        <code>{code}</code>
      </a>,
      <span key="when">
        <MarkedLine text={description} />
        {named.length === 1 &&
          headers.map(({ name }) => (
            <span class="soft" key={name}>
              {' '}
              With <code>{name}</code>.
            </span>
          ))}
      </span>,
    ],
  }));
}

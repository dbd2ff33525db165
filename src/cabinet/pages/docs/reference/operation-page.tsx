import { intoFile } from '../../../text/snippets.ts';
import { CodeBlock } from '../../code-block.tsx';
import type { Site } from '../../frame.tsx';
import { DocsSection, docsPage } from '../docs-frame.tsx';
import { DocsTable } from '../docs-table.tsx';
import { Marked, MarkedLine } from '../marked.tsx';
import {
  type ApiDocument,
  type ApiResponse,
  examplesOf,
  type Operation,
  operationGroups,
  operationsOf,
  type Parameter,
  type Schema,
  shownHeaders,
} from './api-document.ts';
import { operationPath, placeInReference, schemasLink } from './reference-entries.ts';
import { ContentView, SchemaView, TypeName, ValueRules } from './schema-view.tsx';
import { mediaExample } from './schemas.ts';

const problemType = 'application/problem+json';

/** Headers of every response, which are described once, on the index. */
export const commonHeaders: ReadonlySet<string> = new Set(['Request-Id', 'Cache-Control']);

const parts = {
  example: { id: 'example', title: 'Example' },
  parameters: { id: 'parameters', title: 'Parameters' },
  body: { id: 'body', title: 'Request body' },
  errors: { id: 'errors', title: 'Errors' },
} as const;

/**
 * /docs/api/<operationId>: the parameters and responses of an operation, with an example; or /docs/api/objects. Returns
 * null if there is no such page.
 */
export function operationPage(site: Site, api: ApiDocument, id: string): string | null {
  if (operationPath(id) === schemasLink.path) return schemasPage(site, api);
  const operation = operationGroups(api)
    .flatMap(({ operations }) => operations)
    .find((one) => one.id === id);
  if (!operation) return null;
  const { method, path, summary, description, parameters = [], requestBody } = operation;
  const responses = Object.entries(operation.responses ?? {});
  const results = responses.filter(([, response]) => !isProblem(response));
  const problems = responses.filter(([, response]) => isProblem(response));
  return docsPage({
    ...placeInReference(api, operationPath(id)),
    site,
    path: operationPath(id),
    title: summary ?? id,
    description: `${method} ${path}: parameters, request body, responses and errors of this operation.`,
    sections: [
      parts.example,
      ...(parameters.length > 0 ? [parts.parameters] : []),
      ...(requestBody ? [parts.body] : []),
      ...results.map(([status]) => resultSection(status)),
      ...(problems.length > 0 ? [parts.errors] : []),
    ],
    lead: (
      <>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </>
    ),
    children: (
      <>
        {description && <Marked text={description} />}
        <Credentials security={operation.security ?? []} />
        <DocsSection section={parts.example}>
          <CodeBlock
            label={`${method} ${path}`}
            language="sh"
            code={curlCall(api, site.origin, operation)}
          />
        </DocsSection>
        {parameters.length > 0 && (
          <DocsSection section={parts.parameters}>
            <DocsTable
              caption={`Parameters of ${method} ${path}`}
              columns={['Name', 'In', 'Type', 'Meaning']}
              rows={parameters.map(parameterRow)}
            />
          </DocsSection>
        )}
        {requestBody && (
          <DocsSection section={parts.body}>
            {requestBody.description && <Marked text={requestBody.description} />}
            {!requestBody.required && <p>Optional.</p>}
            <ContentView
              api={api}
              content={requestBody.content}
              place={{ anchor: 'body', isSent: true }}
              described={optionsOf(parameters)}
            />
          </DocsSection>
        )}
        {results.map(([status, response]) => (
          <DocsSection section={resultSection(status)} key={status}>
            <ResultView {...{ api, status, response, operation }} />
          </DocsSection>
        ))}
        {problems.length > 0 && (
          <DocsSection section={parts.errors}>
            <ProblemTables api={api} operation={operation} problems={problems} />
          </DocsSection>
        )}
      </>
    ),
  });
}

/**
 * A curl command for an operation with its required parts; it saves an image, and shows any other answer.
 */
export function curlCall(api: ApiDocument, origin: string, operation: Operation): string {
  const { method, path, parameters = [], security = [], requestBody } = operation;
  const filledPath = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, schema }) => {
      const value = schema?.example ?? `<${name}>`;
      return text.replace(`{${name}}`, String(value));
    }, path);
  const lines = [`curl -sS --fail-with-body "${origin}${filledPath}"`];
  if (method !== 'GET' && !(method === 'POST' && requestBody)) lines[0] += ` -X ${method}`;
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  for (const scheme of schemes) lines.push(...credentials(api, scheme));
  lines.push(...bodyArguments(api, operation));
  return lines.join(' \\\n  ');
}

function credentials({ components }: ApiDocument, name: string): string[] {
  const scheme = components?.securitySchemes?.[name];
  if (scheme?.type === 'http') return ['-H "Authorization: Bearer $KEY"'];
  if (scheme?.in === 'cookie') return [`-b "${scheme.name}=$SESSION"`];
  return [];
}

function returnsImage({ responses }: Operation): boolean {
  return Object.keys(responses?.['200']?.content ?? {}).some((type) => type.startsWith('image/'));
}

function bodyArguments(api: ApiDocument, operation: Operation): string[] {
  if (!operation.requestBody) return [];
  const { content } = operation.requestBody;
  if ('application/octet-stream' in content) {
    if (!returnsImage(operation)) return ['--data-binary @photo.jpg'];
    return ['--data-binary @photo.jpg', intoFile('smaller.jpg')];
  }
  const json = content['application/json'];
  if (!json) return [];
  const text = JSON.stringify(mediaExample(api, json) ?? {}).replaceAll("'", "'\\''");
  return ['-H "Content-Type: application/json"', `-d '${text}'`];
}

function Credentials({ security }: { security: NonNullable<Operation['security']> }) {
  const names = security.flatMap((requirement) => Object.keys(requirement));
  return (
    <p>
      <span class="soft">Credentials:</span>{' '}
      {names.length === 0
        ? 'none'
        : names.map((name, index) => (
            <span key={name}>
              {index > 0 && ' or '}
              <a href={`/docs/api#security-${name}`}>{name}</a>
            </span>
          ))}
    </p>
  );
}

/** The query parameters, which a form or JSON body may have as fields instead. */
function optionsOf(parameters: readonly Parameter[]): Readonly<Record<string, Schema>> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return Object.fromEntries(inQuery.map(({ name, schema = {} }) => [name, schema]));
}

function parameterRow({ name, in: place, description, required, schema = {} }: Parameter) {
  return {
    id: `${place}-${name}`,
    cells: [
      <span key="name">
        <code>{name}</code>
        {required && <span class="field-required">required</span>}
      </span>,
      place,
      <TypeName key="type" schema={schema} />,
      <div key="meaning">
        {(description ?? schema.description) && (
          <p>
            <MarkedLine text={description ?? schema.description ?? ''} />
          </p>
        )}
        <ValueRules schema={schema} />
      </div>,
    ],
  };
}

function resultSection(status: string) {
  return { id: `response-${status}`, title: `Response ${status}` };
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
    ({ name }) => !commonHeaders.has(name),
  );
  const json = response.content?.['application/json'];
  return (
    <>
      <Marked text={response.description} />
      {response.content && (
        <ContentView
          api={api}
          content={response.content}
          place={{ anchor: `result-${status}`, isSent: false }}
        />
      )}
      {headers.length > 0 && (
        <DocsTable
          caption={`Headers of response ${status} to ${operation.method} ${operation.path}`}
          columns={['Header', 'Type', 'Meaning']}
          rows={headers.map(({ name, schema, description, isRequired }) => ({
            id: `header-${status}-${name}`,
            cells: [
              <code key="name">{name}</code>,
              <TypeName key="type" schema={schema} />,
              <span key="meaning">
                <MarkedLine text={description} />
                {!isRequired && <span class="soft"> Not always present.</span>}
              </span>,
            ],
          }))}
        />
      )}
      {json && (
        <CodeBlock
          language="json"
          label={`Response ${status} to ${operation.method} ${operation.path}`}
          code={JSON.stringify(mediaExample(api, json), null, 2)}
        />
      )}
    </>
  );
}

function isProblem({ content = {} }: ApiResponse): boolean {
  return problemType in content;
}

/** The errors specific to this operation, and, folded, those common to most operations. */
function ProblemTables({
  api,
  operation: { method, path },
  problems,
}: {
  api: ApiDocument;
  operation: Operation;
  problems: readonly (readonly [string, ApiResponse])[];
}) {
  const common = commonCodes(api);
  const rows = problems.flatMap(([status, response]) => problemRows(api, status, response));
  const [usual, own] = [
    rows.filter(({ id }) => common.has(id)),
    rows.filter(({ id }) => !common.has(id)),
  ];
  const columns = ['Code', 'When'];
  return (
    <>
      {own.length > 0 && (
        <DocsTable caption={`Errors of ${method} ${path}`} columns={columns} rows={own} />
      )}
      {usual.length > 0 && (
        <details class="docs-fold common-errors" open={own.length === 0}>
          <summary>Common errors ({usual.length})</summary>
          <DocsTable caption="Common errors" columns={columns} rows={usual} />
        </details>
      )}
    </>
  );
}

/** The error codes that at least half of all operations have. */
function commonCodes(api: ApiDocument): ReadonlySet<string> {
  const operations = operationsOf(api);
  const counts = new Map<string, number>();
  for (const { responses = {} } of operations) {
    const codes = Object.values(responses).flatMap(({ content }) =>
      examplesOf(api, content?.[problemType] ?? {}).map(([code]) => code),
    );
    for (const code of new Set(codes)) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return new Set(
    [...counts].filter(([, count]) => count * 2 >= operations.length).map(([code]) => code),
  );
}

/** One row per error code, or a single row for a status without named codes. */
function problemRows(api: ApiDocument, status: string, response: ApiResponse) {
  const named = examplesOf(api, response.content?.[problemType] ?? {});
  if (named.length === 0) {
    return [{ id: status, cells: [status, <MarkedLine key="when" text={response.description} />] }];
  }
  const headers = shownHeaders(api, response.headers ?? {}).filter(
    ({ name }) => !commonHeaders.has(name),
  );
  return named.map(([code, { description = '' }]) => ({
    id: code,
    cells: [
      <span class="error-name" key="code">
        <a href={`/docs/errors#${code}`}>
          <code>{code}</code>
        </a>
        <span class="soft">{status}</span>
      </span>,
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

/** /docs/api/objects: the objects that several operations take or return, field by field. */
function schemasPage(site: Site, api: ApiDocument): string {
  const named = Object.entries(api.components?.schemas ?? {});
  return docsPage({
    ...placeInReference(api, schemasLink.path),
    site,
    ...schemasLink,
    description: 'The objects that the API takes and returns, field by field.',
    sections: named.map(([name]) => ({ id: name, title: name })),
    lead: 'What the operations return, field by field. Fields may be added, but are never removed.',
    children: named.map(([name, schema]) => (
      <section class="docs-section" id={name} aria-labelledby={`heading-${name}`} key={name}>
        <h2 id={`heading-${name}`}>
          <a class="docs-anchor" href={`#${name}`}>
            {name}
          </a>
        </h2>
        {schema.description && <Marked text={schema.description} />}
        <SchemaView schema={schema} place={{ anchor: name, isSent: false }} />
      </section>
    )),
  });
}

import { CodeBlock } from '../../code-block.tsx';
import { DocsTable } from '../docs-table.tsx';
import { Marked, MarkedLine } from '../marked.tsx';
import type { ApiDocument, Parameter } from './api-document.ts';
import { ContentView } from './content-view.tsx';
import { curlCall } from './curl-call.ts';
import type { Operation } from './operations.ts';
import { ResponsesView } from './responses-view.tsx';
import { TypeName, ValueRules } from './schema-view.tsx';

/** A call: what it takes, what it gives, and how to make it. */
export function OperationView({
  api,
  origin,
  operation,
}: {
  api: ApiDocument;
  origin: string;
  operation: Operation;
}) {
  const { id, method, path, summary, description, parameters = [], requestBody } = operation;
  return (
    <article class="docs-entry operation" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <a class="docs-anchor" href={`#${id}`}>
          {summary ?? id}
        </a>
      </h3>
      <p class="operation-line">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      {description && <Marked text={description} />}
      <Credentials security={operation.security ?? []} />
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <DocsTable
            caption={`Parameters of ${method} ${path}`}
            columns={['Name', 'In', 'Type', 'Meaning']}
            rows={parameters.map(parameterRow)}
          />
        </>
      )}
      {requestBody && (
        <>
          <h4>Body</h4>
          {requestBody.description && <Marked text={requestBody.description} />}
          {!requestBody.required && <p>May be left away.</p>}
          <ContentView content={requestBody.content} />
        </>
      )}
      <CodeBlock label={`Example: ${method} ${path}`} code={curlCall(api, origin, operation)} />
      <ResponsesView api={api} operation={operation} />
    </article>
  );
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
              <a href={`#security-${name}`}>{name}</a>
            </span>
          ))}
    </p>
  );
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

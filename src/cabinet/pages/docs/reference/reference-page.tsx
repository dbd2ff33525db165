import type { Site } from '../../frame.tsx';
import { DocsSection, docsPage } from '../docs-frame.tsx';
import { DocsTable } from '../docs-table.tsx';
import { Marked, MarkedLine } from '../marked.tsx';
import type { ApiDocument, SecurityScheme } from './api-document.ts';
import { OperationView } from './operation-view.tsx';
import { operationGroups, shownHeaders } from './operations.ts';
import { everywhere } from './responses-view.tsx';
import { SchemaView } from './schema-view.tsx';

const general = { id: 'general', title: 'In general' };
const credentials = { id: 'credentials', title: 'Credentials' };
const schemas = { id: 'schemas', title: 'Schemas' };

/** /docs/api: the OpenAPI document, for people. */
export function referencePage(site: Site, api: ApiDocument): string {
  const groups = operationGroups(api).map((group) => ({
    ...group,
    section: { id: `tag-${group.name.toLowerCase().replace(/\W+/g, '-')}`, title: group.name },
  }));
  const named = Object.entries(api.components?.schemas ?? {});
  return docsPage({
    site,
    path: '/docs/api',
    sections: [
      general,
      credentials,
      ...groups.flatMap(({ section, operations }) => [
        section,
        ...operations.map(({ id, summary }) => ({ id, title: summary ?? id, isNested: true })),
      ]),
      schemas,
    ],
    lead: (
      <>
        Every call, with what it takes and what it gives. The same as a file for your tools:{' '}
        <a href="/v1/openapi.json" download="openapi.json">
          openapi.json
        </a>{' '}
        (OpenAPI 3.1).
      </>
    ),
    children: (
      <>
        <DocsSection section={general}>
          {api.info.description && <Marked text={api.info.description} />}
          <CommonHeaders api={api} />
        </DocsSection>
        <DocsSection section={credentials}>
          {Object.entries(api.components?.securitySchemes ?? {}).map(([name, scheme]) => (
            <article class="docs-entry" id={`security-${name}`} key={name}>
              <h3>{name}</h3>
              <p class="soft">{schemeWords(scheme)}</p>
              {scheme.description && <Marked text={scheme.description} />}
            </article>
          ))}
        </DocsSection>
        {groups.map(({ section, description, operations }) => (
          <DocsSection section={section} key={section.id}>
            {description && <Marked text={description} />}
            {operations.map((operation) => (
              <OperationView
                key={operation.id}
                api={api}
                origin={site.origin}
                operation={operation}
              />
            ))}
          </DocsSection>
        ))}
        <DocsSection section={schemas}>
          {named.map(([name, schema]) => (
            <article class="docs-entry" id={`schema-${name}`} key={name}>
              <h3>{name}</h3>
              {schema.description && <Marked text={schema.description} />}
              <SchemaView schema={schema} />
            </article>
          ))}
        </DocsSection>
      </>
    ),
  });
}

function CommonHeaders({ api }: { api: ApiDocument }) {
  const headers = shownHeaders(api, api.components?.headers ?? {}).filter(({ name }) =>
    everywhere.has(name),
  );
  if (headers.length === 0) return null;
  return (
    <DocsTable
      caption="Headers of every answer"
      columns={['Header', 'Example', 'Meaning']}
      rows={headers.map(({ name, example, description }) => ({
        id: name,
        cells: [
          <code key="name">{name}</code>,
          <code key="example">{example}</code>,
          <MarkedLine key="meaning" text={description} />,
        ],
      }))}
    />
  );
}

function schemeWords({ type, scheme, in: place, name }: SecurityScheme): string {
  if (type === 'http') return `HTTP authentication, scheme ${scheme ?? 'unknown'}`;
  if (type === 'apiKey') return `The ${place ?? 'header'} ${name ?? ''}`;
  return type;
}

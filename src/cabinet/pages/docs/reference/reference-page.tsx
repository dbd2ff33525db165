import type { Site } from '../../frame.tsx';
import { placeOf } from '../contents.ts';
import { DocsSection, docsPage } from '../docs-frame.tsx';
import { DocsTable } from '../docs-table.tsx';
import { Marked, MarkedLine } from '../marked.tsx';
import {
  type ApiDocument,
  operationGroups,
  type SecurityScheme,
  shownHeaders,
} from './api-document.ts';
import { commonHeaders } from './operation-page.tsx';
import { operationPath, referenceMenu } from './reference-entries.ts';

export { referenceEntries } from './reference-entries.ts';

const general = { id: 'general', title: 'In general' };
const credentials = { id: 'credentials', title: 'Credentials' };

/** /docs/api: every operation with a link to its page, and the facts common to all operations. */
export function referencePage(site: Site, api: ApiDocument): string {
  const { page, previous, next } = placeOf('/docs/api');
  const groups = operationGroups(api).map((group) => ({
    ...group,
    section: { id: `tag-${group.name.toLowerCase().replace(/\W+/g, '-')}`, title: group.name },
  }));
  return docsPage({
    site,
    path: page.path,
    title: page.title,
    description: page.description,
    sections: [...groups.map(({ section }) => section), general, credentials],
    lead: (
      <>
        Every operation, with its parameters, request body and responses. As a file for your tools:{' '}
        <a href="/v1/openapi.json" download="openapi.json">
          openapi.json
        </a>{' '}
        (OpenAPI 3.1).
      </>
    ),
    previous,
    next,
    subMenu: { below: page.path, groups: referenceMenu(api) },
    children: (
      <>
        {groups.map(({ section, description, operations }) => (
          <DocsSection section={section} key={section.id}>
            {description && <Marked text={description} />}
            <ul class="operation-list">
              {operations.map(({ id, method, path, summary }) => (
                <li id={id} key={id}>
                  <a href={operationPath(id)}>{summary ?? id}</a>
                  <span class="operation-line">
                    <span class={`method ${method.toLowerCase()}`}>{method}</span>{' '}
                    <code>{path}</code>
                  </span>
                </li>
              ))}
            </ul>
          </DocsSection>
        ))}
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
      </>
    ),
  });
}

function CommonHeaders({ api }: { api: ApiDocument }) {
  const headers = shownHeaders(api, api.components?.headers ?? {}).filter(({ name }) =>
    commonHeaders.has(name),
  );
  if (headers.length === 0) return null;
  return (
    <DocsTable
      caption="Headers of every response"
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

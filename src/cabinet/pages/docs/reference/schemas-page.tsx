import type { Site } from '../../frame.tsx';
import { docsPage } from '../docs-frame.tsx';
import { Marked } from '../marked.tsx';
import type { ApiDocument } from './api-document.ts';
import { placeInReference, schemasLink } from './menu.ts';
import { SchemaView } from './schema-view.tsx';

/** /docs/api/objects: the objects that several operations take or return, field by field. */
export function schemasPage(site: Site, api: ApiDocument): string {
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

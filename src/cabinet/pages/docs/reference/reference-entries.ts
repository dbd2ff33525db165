import type { SearchEntry } from '../../../text/docs-search.ts';
import { placeOf } from '../contents.ts';
import type { DocsLink, DocsLinkGroup } from '../docs-frame.tsx';
import {
  type ApiDocument,
  type MediaType,
  type Operation,
  operationGroups,
  referenceName,
  type Schema,
} from './api-document.ts';

/** Search entries for the reference: operations, named objects, and all parameters and fields. */
export function referenceEntries(api: ApiDocument): readonly SearchEntry[] {
  const operations = operationGroups(api).flatMap((group) => group.operations);
  const schemas = Object.entries(api.components?.schemas ?? {});
  return [
    ...operations.map(operationEntry),
    ...schemas.map(([name, { description = '', properties = {} }]) => ({
      path: `${schemasLink.path}#${name}`,
      page: schemasLink.title,
      heading: name,
      text: plain(`${description} ${Object.keys(properties).join(', ')}`),
    })),
    ...withoutRepetition([
      ...operations.flatMap(requestEntries),
      ...schemas.flatMap(([name, schema]) =>
        fieldEntries(schema, `${schemasLink.path}#${name}`, name),
      ),
      ...operations.flatMap(responseEntries),
    ]),
  ];
}

function operationEntry(operation: Operation): SearchEntry {
  const { id, method, path, summary, description = '' } = operation;
  return {
    path: operationPath(id),
    page: 'API reference',
    heading: summary ?? id,
    text: plain(`${method} ${path} ${id} ${description}`),
  };
}

/** Entries for parameters and for the fields of request bodies. */
function requestEntries({ id, summary, parameters = [], requestBody }: Operation) {
  const page = summary ?? id;
  const fields = Object.values(requestBody?.content ?? {}).slice(0, 1);
  return [
    ...parameters.map(({ name, in: place, description, schema }) => ({
      path: `${operationPath(id)}#${place}-${name}`,
      page,
      heading: name,
      text: plain(description ?? schema?.description ?? ''),
      isName: true,
    })),
    ...fields.flatMap(({ schema = {} }) => fieldEntries(schema, `${operationPath(id)}#body`, page)),
  ];
}

function responseEntries({ id, summary, responses = {} }: Operation): readonly SearchEntry[] {
  return Object.entries(responses).flatMap(([status, { content = {} }]) => {
    const json: MediaType | undefined = content['application/json'];
    const anchor = `${operationPath(id)}#result-${status}`;
    return json ? fieldEntries(json.schema ?? {}, anchor, summary ?? id) : [];
  });
}

/**
 * Entries for the fields of a schema and those nested in them, with the anchors that `SchemaView` assigns; references
 * are not followed, because named schemas have entries of their own.
 */
function fieldEntries(schema: Schema, anchor: string, page: string): readonly SearchEntry[] {
  if (schema.items) return fieldEntries(schema.items, anchor, page);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    {
      path: `${anchor}-${name}`,
      page,
      heading: name,
      text: plain(field.description ?? (field.$ref ? referenceName(field.$ref) : '')),
      isName: true,
    },
    ...fieldEntries(field, `${anchor}-${name}`, page),
  ]);
}

/** Keeps the first entry for each name. */
function withoutRepetition(entries: readonly SearchEntry[]): readonly SearchEntry[] {
  return [...Map.groupBy(entries, ({ heading }) => heading).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}

/** CommonMark text without its markup. */
function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\s+/g, ' ').trim();
}

const index = '/docs/api';

/** The last page of the reference, which describes the named schemas. */
export const schemasLink: DocsLink = { path: `${index}/objects`, title: 'Objects' };

/** The path of the page that describes an operation. */
export function operationPath(id: string): string {
  return `${index}/${id}`;
}

/** The pages below the index: the operations in groups, in the order of the index, then the page of objects. */
export function referenceMenu(api: ApiDocument): readonly DocsLinkGroup[] {
  const groups = operationGroups(api).map(({ name, operations }) => ({
    name,
    links: operations.map(({ id, summary }) => ({ path: operationPath(id), title: summary ?? id })),
  }));
  return [...groups, { name: 'Data', links: [schemasLink] }];
}

/** Submenu and adjacent pages of a page below the index. */
export function placeInReference(api: ApiDocument, path: string) {
  const groups = referenceMenu(api);
  const links = groups.flatMap((group) => group.links);
  const at = links.findIndex((link) => link.path === path);
  const { page, next } = placeOf(index);
  return {
    previous: links[at - 1] ?? page,
    next: links[at + 1] ?? next,
    subMenu: { below: index, groups },
  };
}

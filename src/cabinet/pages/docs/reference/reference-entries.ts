import type { SearchEntry } from '../../../text/docs-search.ts';
import {
  type ApiDocument,
  type MediaType,
  type Operation,
  operationGroups,
  referenceName,
  type Schema,
} from './api-document.ts';
import { operationPath, schemasLink } from './menu.ts';

/** What search finds of the reference: operations, the objects that have names, and all parameters and fields. */
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

/** Parameters, and the fields of bodies. */
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

/** Fields, and those within them, under the anchors that `SchemaView` gives them; what has a name is listed by itself. */
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

/** The same name is listed once, where a caller meets it first. */
function withoutRepetition(entries: readonly SearchEntry[]): readonly SearchEntry[] {
  return [...Map.groupBy(entries, ({ heading }) => heading).values()].flatMap(([first]) =>
    first ? [first] : [],
  );
}

/** CommonMark without its marks. */
function plain(text: string): string {
  return text.replace(/[`*]/g, '').replace(/\s+/g, ' ').trim();
}

import type { ApiDocument, MediaType, Schema } from './api-document.ts';
import { examplesOf, referenceName } from './operations.ts';

/** Schemas may contain themselves. */
const deepest = 6;

/** A value that a media type may carry: the document's own, or one made after its schema. */
export function mediaExample(api: ApiDocument, media: MediaType): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = examplesOf(api, media);
  if (first?.[1].value !== undefined) return first[1].value;
  return media.schema && schemaExample(api, media.schema);
}

/** A value that fits a schema; objects show what is required, and what has an example of its own. */
export function schemaExample(api: ApiDocument, schema: Schema, depth = 0): unknown {
  if (depth > deepest) return null;
  if (schema.$ref) {
    const target = api.components?.schemas?.[referenceName(schema.$ref)];
    return target ? schemaExample(api, target, depth + 1) : null;
  }
  const stated = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default;
  if (stated !== undefined) return stated;
  if (schema.enum) return schema.enum[0];
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return schemaExample(api, alternative, depth + 1);
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => schemaExample(api, part, depth + 1));
    return Object.assign({}, ...parts.filter((part) => typeof part === 'object'));
  }
  if (schema.properties) return objectExample(api, schema, schema.properties, depth);
  return typedExample(api, schema, depth);
}

function objectExample(
  api: ApiDocument,
  { required = [] }: Schema,
  properties: Readonly<Record<string, Schema>>,
  depth: number,
): unknown {
  const shown = Object.entries(properties).filter(
    ([name, { example }]) => required.includes(name) || example !== undefined,
  );
  return Object.fromEntries(
    shown.map(([name, property]) => [name, schemaExample(api, property, depth + 1)]),
  );
}

function typedExample(api: ApiDocument, schema: Schema, depth: number): unknown {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const [type] = types.includes('null') ? ['null'] : types;
  switch (type) {
    case 'array':
      return schema.items ? [schemaExample(api, schema.items, depth + 1)] : [];
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'string':
      return texts[schema.format ?? ''] ?? '…';
    case 'object':
      return {};
    default:
      return null;
  }
}

const texts: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T16:31:00.000Z',
  date: '2026-11-20',
  uri: 'https://img.example/',
  email: 'you@gmail.com',
};

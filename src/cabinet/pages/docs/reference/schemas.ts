import {
  type ApiDocument,
  examplesOf,
  type MediaType,
  referenceName,
  type Schema,
} from './api-document.ts';

/** The type of a value in a few words, including `null`. */
export function typeWords(schema: Schema): string {
  if (schema.$ref) return referenceName(schema.$ref);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return unique(alternatives.map(typeWords)).join(' or ');
  if (schema.allOf) return unique(schema.allOf.map(typeWords)).join(' and ');
  const types = unique(typesOf(schema).map((type) => singleType(type, schema)));
  return types.join(' or ');
}

/** The rules that a value has to satisfy, one string for each. */
export function ruleWords(schema: Schema): readonly string[] {
  return [
    range('', schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? null : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? null : `less than ${schema.exclusiveMaximum}`,
    range(' characters', schema.minLength, schema.maxLength),
    range(' entries', schema.minItems, schema.maxItems),
    schema.minProperties === undefined ? null : `at least ${schema.minProperties} of them`,
  ].filter((rule) => rule !== null);
}

/** The allowed values; a constant is the only choice. */
export function choices(schema: Schema): readonly string[] {
  if (schema.const !== undefined) return [valueWords(schema.const)];
  return (schema.enum ?? []).map(valueWords);
}

/** A value as it is typed: strings without quotes, since most of them go into queries and forms. */
export function valueWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The alternatives of a schema, whichever keyword lists them; empty if it has none. */
export function alternativesOf({ oneOf, anyOf }: Schema): readonly Schema[] {
  return oneOf ?? anyOf ?? [];
}

/** Merges the unnamed parts of `allOf` into one schema. */
export function mergedObject(schema: Schema): Schema {
  if (!schema.allOf) return schema;
  const { allOf, ...own } = schema;
  const parts = [own, ...allOf.filter(({ $ref }) => !$ref)];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 && { properties }),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

function typesOf({ type, nullable, properties, items, enum: values, ...rest }: Schema): string[] {
  const types = type === undefined ? [] : typeof type === 'string' ? [type] : [...type];
  if (types.length === 0) {
    if (properties) types.push('object');
    else if (items) types.push('array');
    else if (rest.contentMediaType) types.push('bytes');
    else if (values ?? rest.const !== undefined) types.push('value');
    else types.push('anything');
  }
  if (nullable && !types.includes('null')) types.push('null');
  return types;
}

function singleType(type: string, schema: Schema): string {
  if (type === 'array') return `list of ${schema.items ? typeWords(schema.items) : 'anything'}`;
  if (type === 'string' && schema.contentMediaType) return 'file';
  if (type === 'string' && schema.format)
    return formats[schema.format] ?? `string (${schema.format})`;
  return type;
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'timestamp',
  date: 'day',
  uri: 'URL',
  email: 'email address',
};

/** Whole numbers whose schema has no limit get the language's own limit. */
const unlimited = Number.MAX_SAFE_INTEGER;

function range(unit: string, least = -unlimited, most = unlimited): string | null {
  const number = (value: number) => value.toLocaleString('en-US');
  const units = (value: number) =>
    value === 1 ? unit.replace(/ies$/, 'y').replace(/s$/, '') : unit;
  if (least > -unlimited && most < unlimited) return `${number(least)} to ${number(most)}${unit}`;
  if (least > -unlimited) return `at least ${number(least)}${units(least)}`;
  return most < unlimited ? `at most ${number(most)}${units(most)}` : null;
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)];
}

/** The maximum depth of examples, because schemas may be recursive. */
const maxDepth = 6;

/** An example value for a media type: the document's own, or one derived from the schema. */
export function mediaExample(api: ApiDocument, media: MediaType): unknown {
  if (media.example !== undefined) return media.example;
  const [first] = examplesOf(api, media);
  if (first?.[1].value !== undefined) return first[1].value;
  return media.schema && schemaExample(api, media.schema);
}

/**
 * An example value that satisfies a schema; objects include required properties and those with an example of their own.
 */
export function schemaExample(api: ApiDocument, schema: Schema, depth = 0): unknown {
  if (depth > maxDepth) return null;
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
      return exampleTexts[schema.format ?? ''] ?? '…';
    case 'object':
      return {};
    default:
      return null;
  }
}

const exampleTexts: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T16:31:00.000Z',
  date: '2026-11-20',
  uri: 'https://img.example/',
  email: 'you@gmail.com',
};

import type { Schema } from './api-document.ts';
import { referenceName } from './operations.ts';

/** The type of a value in a few words; `null` among several types is said, too. */
export function typeWords(schema: Schema): string {
  if (schema.$ref) return referenceName(schema.$ref);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return unique(alternatives.map(typeWords)).join(' or ');
  if (schema.allOf) return unique(schema.allOf.map(typeWords)).join(' and ');
  const types = unique(typesOf(schema).map((type) => singleType(type, schema)));
  return types.join(' or ');
}

/** What a value must be like, each rule for itself. */
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

/** Values to choose from; a constant is a choice of one. */
export function choices(schema: Schema): readonly string[] {
  if (schema.const !== undefined) return [valueWords(schema.const)];
  return (schema.enum ?? []).map(valueWords);
}

/** A value as it is typed: text without quotes, since most of it goes into queries and forms. */
export function valueWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Alternatives, whatever the keyword. Empty for a schema that is one thing. */
export function alternativesOf({ oneOf, anyOf }: Schema): readonly Schema[] {
  return oneOf ?? anyOf ?? [];
}

/** Parts that hold at once, taken together where they are objects without a name. */
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
  email: 'e-mail address',
};

/** Where nobody meant a limit, whole numbers have that of the language. */
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

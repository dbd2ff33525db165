import fc from 'fast-check';
import {
  isObject,
  type OpenApiDocument,
  type Schema,
  withoutReferences,
} from './openapi-checker.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** One operation of the OpenAPI document, as needed to create requests. */
export interface ApiOperation {
  /** Method and path, as in `POST /v1/keys/{id}`. */
  readonly name: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Schema of its JSON body; null if it takes none. */
  readonly body: Schema | null;
  readonly bodyExample: unknown;
  /** Media types that it accepts besides JSON. */
  readonly otherTypes: readonly string[];
  readonly credential: 'session' | 'apiKey' | null;
  /** Whether any body with a valid Stripe signature is trusted. */
  readonly isSigned: boolean;
}

/** Every operation of a document, with references resolved. */
export function operationsOf(document: unknown): readonly ApiOperation[] {
  const { paths }: OpenApiDocument = withoutReferences(document);
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      described(method.toUpperCase(), path, operation as unknown as Described),
    ),
  );
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema: Schema; readonly example?: unknown }>
    >;
  };
}

function described(method: string, path: string, operation: Described): ApiOperation {
  const { parameters = [], security = [], requestBody } = operation;
  const { 'application/json': json, ...others } = requestBody?.content ?? {};
  const schemes = security.flatMap((each) => Object.keys(each));
  return {
    ...{ name: `${method} ${path}`, method, path, parameters },
    body: json?.schema ?? null,
    bodyExample: json?.example ?? (json && exampleOf(json.schema)),
    otherTypes: Object.keys(others),
    isSigned: schemes.includes('stripeSignature'),
    credential: schemes.includes('apiKey')
      ? 'apiKey'
      : schemes.includes('session')
        ? 'session'
        : null,
  };
}

/** An object made of the examples of its members. */
function exampleOf({ properties }: Schema): Record<string, unknown> {
  const examples = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, schema]) => (isObject(schema) && 'example' in schema ? [[name, schema.example]] : []),
  );
  return Object.fromEntries(examples);
}

/** Text as people and programs send it: anything that JSON can carry, from empty to long. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 110 }),
  fc.constantFrom('', ' ', '\u0000', '\u202emoc.elpmaxe', 'a\u0000b', '\ufeffa', 'ﬀ', 'İ', '😀'),
  fc.constantFrom(
    '__proto__',
    'constructor',
    '../..',
    "' OR 1=1--",
    '<script>',
    '%00',
    '$&',
    'NaN',
  ),
);

/** Values that a schema of the document allows, including its example. */
export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const generated = generatedBy(schema);
  return 'example' in schema ? fc.oneof(fc.constant(schema.example), generated) : generated;
}

function generatedBy(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: values, const: value, anyOf, oneOf } = schema;
  if (value !== undefined) return fc.constant(value);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const choices: unknown = anyOf ?? oneOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.filter(isObject).map(arbitraryOf));
  switch (type) {
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({
        min: numberOr(schema.minimum, -(2 ** 31)),
        max: numberOr(schema.maximum, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(isObject(schema.items) ? arbitraryOf(schema.items) : fc.jsonValue());
    case 'object':
      return objectOf(schema);
    default:
      return fc.jsonValue();
  }
}

function textOf({ format, minLength, maxLength, pattern }: Schema): fc.Arbitrary<string> {
  const [least, most] = [numberOr(minLength, 0), numberOr(maxLength, 4000)];
  if (format === 'date') return fc.date({ noInvalidDate: true }).map(dayOf);
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const texts = anyText.filter(({ length }) => length >= least && length <= most);
  return fc.oneof(texts, fc.constant('x'.repeat(most)));
}

/** A day with a four-digit year. */
function dayOf(date: Date): string {
  return date.toISOString().slice(-24).slice(0, 10);
}

function objectOf({ properties, required }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(isObject(properties) ? properties : {});
  const needed = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  const model = Object.fromEntries(
    members.map(([name, schema]) => [
      name,
      isObject(schema) ? arbitraryOf(schema) : fc.jsonValue(),
    ]),
  );
  const known = fc.record(model, { requiredKeys: needed });
  // Unknown members are ignored.
  const unknown = fc.dictionary(fc.string({ minLength: 1, maxLength: 9 }), fc.jsonValue(), {
    maxKeys: 2,
  });
  return fc.tuple(unknown, known).map(([others, own]) => ({ ...others, ...own }));
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

import {
  isObject,
  type OpenApiDocument,
  type Schema,
  withoutReferences,
} from './openapi-document.ts';

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** One operation of the OpenAPI document, as far as requests go. */
export interface ApiOperation {
  /** Method and path, as in `POST /v1/keys/{id}`. */
  readonly name: string;
  readonly method: string;
  /** Its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of a body in JSON; null: it takes none. */
  readonly body: Schema | null;
  readonly bodyExample: unknown;
  /** Media types that it takes besides JSON. */
  readonly otherTypes: readonly string[];
  readonly credential: 'session' | 'apiKey' | null;
}

/** Every operation of a document, its references resolved. */
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
    credential: schemes.includes('apiKey')
      ? 'apiKey'
      : schemes.includes('session')
        ? 'session'
        : null,
  };
}

/** An object of the examples that its members have. */
function exampleOf({ properties }: Schema): Record<string, unknown> {
  const examples = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, schema]) => (isObject(schema) && 'example' in schema ? [[name, schema.example]] : []),
  );
  return Object.fromEntries(examples);
}

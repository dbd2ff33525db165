/** The part of OpenAPI 3.1 that the reference uses. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, object>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly headers?: Readonly<Record<string, Header>>;
    readonly examples?: Readonly<Record<string, Example>>;
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface Reference {
  readonly $ref: string;
}

/** A JSON Schema 2020-12 schema, with the keywords that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Header {
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Example {
  readonly summary?: string;
  readonly description?: string;
  readonly value?: unknown;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example | Reference>>;
}

type Content = Readonly<Record<string, MediaType>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface RequestBody {
  readonly description?: string;
  readonly required?: boolean;
  readonly content: Content;
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
  readonly description?: string;
}

/** An operation as it appears in the document. */
interface OperationObject {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses?: Readonly<Record<string, ApiResponse>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** An operation with its id, method and path. */
export interface Operation extends OperationObject {
  /** The operationId, or one made from method and path; also names the page. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** Operations with a common tag. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** A response header, prepared for display. */
export interface ShownHeader {
  readonly name: string;
  readonly example: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** All operations, in the document's order. */
export function operationsOf({ paths = {} }: ApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, item]) => {
    const byMethod: Readonly<Record<string, OperationObject>> = { ...item };
    return methods.flatMap((method) => {
      const operation = byMethod[method];
      if (!operation) return [];
      const id = operation.operationId ?? `${method}-${path.replace(/[^\w]+/g, '-')}`;
      return [{ ...operation, id, method: method.toUpperCase(), path }];
    });
  });
}

/**
 * Operations grouped by their first tag, in the order of the document's tags; tags that the document does not describe
 * come last. Within a group, the most important operations come first.
 */
export function operationGroups(api: ApiDocument): readonly OperationGroup[] {
  const byTag = Map.groupBy(operationsOf(api), ({ tags }) => tags?.[0] ?? 'Other');
  const described = new Map((api.tags ?? []).map(({ name, description }) => [name, description]));
  const names = new Set([...described.keys(), ...byTag.keys()]);
  return [...names].flatMap((name) => {
    const operations = byTag.get(name);
    if (!operations) return [];
    const ordered = operations.toSorted((one, other) => importance(other) - importance(one));
    return [{ name, description: described.get(name) ?? '', operations: ordered }];
  });
}

/** The service's main operation comes first, and operations that delete come last. */
function importance({ id, method }: Operation): number {
  if (id === 'optimize') return 1;
  return method === 'DELETE' ? -1 : 0;
}

/** Headers with references resolved. */
export function shownHeaders(
  api: ApiDocument,
  headers: Readonly<Record<string, Header | Reference>>,
): readonly ShownHeader[] {
  return Object.entries(headers).map(([name, entry]) => {
    const header = dereferenced(entry, api.components?.headers ?? {});
    return {
      name,
      example: header?.example === undefined ? '' : String(header.example),
      description: header?.description ?? '',
      isRequired: header?.required ?? false,
      schema: header?.schema ?? {},
    };
  });
}

/** The named examples of a media type, with references resolved. */
export function examplesOf(
  api: ApiDocument,
  { examples = {} }: MediaType,
): readonly (readonly [string, Example])[] {
  return Object.entries(examples).flatMap(([name, entry]) => {
    const example = dereferenced(entry, api.components?.examples ?? {});
    return example ? [[name, example] as const] : [];
  });
}

/** The last part of a reference: `ApiKey` for `#/components/schemas/ApiKey`. */
export function referenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function dereferenced<Value extends object>(
  entry: Value | Reference,
  components: Readonly<Record<string, Value>>,
): Value | undefined {
  return '$ref' in entry ? components[referenceName(entry.$ref)] : entry;
}

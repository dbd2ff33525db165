/** A JSON Schema of the document, its references replaced. */
export type Schema = Readonly<Record<string, unknown>>;

export interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface DescribedResponse {
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** By status or by name. */
export type Responses = Readonly<Record<string, DescribedResponse>>;

export interface Operation {
  readonly responses: Responses;
}

/** What is read of an OpenAPI document here. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Responses;
  };
}

/** The document with every reference replaced by what it points to; none points in a circle. */
export function withoutReferences(document: unknown): OpenApiDocument {
  const replaced = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replaced);
    if (!isObject(node)) return node;
    if (typeof node.$ref === 'string') return replaced(target(document, node.$ref));
    return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, replaced(value)]));
  };
  return replaced(document) as OpenApiDocument;
}

function target(document: unknown, pointer: string): unknown {
  const found = pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), document);
  if (found === undefined) throw new Error(`the document has nothing at ${pointer}`);
  return found;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The schema without room for members that it does not name. The document
 * leaves that room, since members may be added; what is sent has to be in it.
 * A schema that says itself what else there may be keeps its word.
 */
export function closed(schema: Schema, isPart = false): Schema {
  const { properties, allOf, anyOf, items, additionalProperties } = schema;
  const some = (list: unknown, areParts: boolean) =>
    Array.isArray(list) && list.map((each) => (isObject(each) ? closed(each, areParts) : each));
  const isOpen = additionalProperties === undefined && !isPart;
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [
          name,
          isObject(each) ? closed(each) : each,
        ]),
      ),
    }),
    // what its parts name together is what it may have
    ...(Array.isArray(allOf) && { allOf: some(allOf, true) }),
    ...(Array.isArray(anyOf) && { anyOf: some(anyOf, isPart) }),
    ...(isObject(items) && { items: closed(items) }),
    ...(isOpen &&
      (isObject(properties) || Array.isArray(allOf)) && { unevaluatedProperties: false }),
  };
}

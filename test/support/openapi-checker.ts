import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type ErrorCode, errorTable, membersOf } from '../../src/errors.ts';
import { type ProblemMember, problemMembers } from '../../src/problem-members.ts';

/** One checker per service, by its origin: the document is read and compiled only once. */
const checkers = new Map<string, Promise<ResponseChecker>>();

/**
 * `fetch` that fails if the response of a service does not match the service's own OpenAPI document, which does not
 * include pages outside `/v1`.
 */
export async function checkedFetch(url: URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  if (!url.pathname.startsWith('/v1/')) return response;
  const checker = await checkerFor(url.origin);
  await checker.check(init.method ?? 'GET', url.pathname, response);
  return response;
}

function checkerFor(origin: string): Promise<ResponseChecker> {
  const checker = checkers.get(origin) ?? readDocument(origin);
  checkers.set(origin, checker);
  return checker;
}

async function readDocument(origin: string): Promise<ResponseChecker> {
  const response = await fetch(`${origin}/v1/openapi.json`);
  return new ResponseChecker(await response.json());
}

/**
 * Headers that do not belong to an operation: those of the connection and of a proxy, those that keep browsers out, and CORS
 * with its `Vary`.
 */
const commonHeaders =
  /^(?:access-control-.*|alt-svc|connection|content-(?:encoding|length|security-policy|type)|cross-origin-.*|date|keep-alive|origin-agent-cluster|referrer-policy|server|strict-transport-security|transfer-encoding|vary|x-(?:content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;

/** Checks responses against an OpenAPI document. */
export class ResponseChecker {
  readonly #document: OpenApiDocument;
  readonly #paths: readonly { readonly pattern: RegExp; readonly template: string }[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #wrongPath: Responses;
  readonly #wrongMethod: Responses;
  readonly #compiled = new Map<Schema, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = withoutReferences(document);
    this.#paths = Object.keys(this.#document.paths).map((template) => ({
      template,
      pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
    this.#wrongPath = unroutedResponses(this.#document, 'NotFound');
    this.#wrongMethod = unroutedResponses(this.#document, 'MethodNotAllowed');
    addFormats(this.#ajv);
  }

  /**
   * Checks one response, whose body stays readable.
   * @throws Error that states what the document does not allow
   */
  async check(method: string, path: string, response: Response): Promise<void> {
    const complaints = await this.#complaints(method.toUpperCase(), path, response);
    if (complaints.length === 0) return;
    const exchange = `${method.toUpperCase()} ${path} answered ${response.status}`;
    throw new Error(`${exchange}, against the OpenAPI document: ${complaints.join('; ')}`);
  }

  async #complaints(method: string, path: string, response: Response): Promise<string[]> {
    const related = headerRelations(path, response);
    const template = this.#paths.find(({ pattern }) => pattern.test(path))?.template;
    if (method === 'OPTIONS' && response.status === 204) {
      return [...related, ...optionsComplaints(response, template !== undefined)];
    }
    const described = this.#responsesOf(method, template)[response.status];
    if (!described) return [`the status is not documented for ${method} ${template ?? path}`];
    return [
      ...related,
      ...this.#headerComplaints(response.headers, described.headers ?? {}),
      ...(await this.#bodyComplaints(method, response, described)),
    ];
  }

  /** The allowed responses by status, for a path and method that may not exist. */
  #responsesOf(method: string, template: string | undefined): Responses {
    if (template === undefined) return this.#wrongPath;
    const operations = this.#document.paths[template] ?? {};
    // HEAD is GET without a body (RFC 9110 §9.3.2).
    const operation = operations[method.toLowerCase()] ?? (method === 'HEAD' && operations.get);
    return operation ? operation.responses : this.#wrongMethod;
  }

  #headerComplaints(
    headers: Headers,
    described: Readonly<Record<string, DescribedHeader>>,
  ): string[] {
    const names = new Set(Object.keys(described).map((name) => name.toLowerCase()));
    const unknown = [...headers.keys()]
      .filter((name) => !names.has(name) && !commonHeaders.test(name))
      .map((name) => `the header ${name} is not documented`);
    const wrong = Object.entries(described).flatMap(([name, { required, schema }]) => {
      const value = headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      return this.#schemaComplaints(
        schema,
        headerValue(value, schema),
        `header ${name}: "${value}"`,
      );
    });
    return [...unknown, ...wrong];
  }

  async #bodyComplaints(
    method: string,
    response: Response,
    { content = {} }: DescribedResponse,
  ): Promise<string[]> {
    const type = response.headers.get('Content-Type')?.split(';', 1)[0]?.trim() ?? 'none';
    const described = content[type];
    if (!described) return [`the content type ${type} is not documented`];
    if (method === 'HEAD' || !/^application\/(?:.*\+)?json$/.test(type)) return [];
    const body: unknown = await response.clone().json();
    return [
      ...(type === 'application/problem+json' ? problemRelations(body, response) : []),
      ...this.#schemaComplaints(described.schema, body, 'body'),
    ];
  }

  #schemaComplaints(schema: Schema, value: unknown, what: string): string[] {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(withoutExtraMembers(schema));
    this.#compiled.set(schema, validate);
    if (validate(value)) return [];
    return [`${what} ${this.#ajv.errorsText(validate.errors?.slice(0, 10), { dataVar: '' })}`];
  }
}

/** Checks the methods of the path, or those that CORS allows, which is answered before any path is looked up. */
function optionsComplaints({ headers }: Response, isPath: boolean): string[] {
  if (headers.has('Content-Type')) return ['a content type without content'];
  if (headers.has('Access-Control-Allow-Methods')) return [];
  if (!headers.has('Allow')) return ['the header Allow is missing'];
  return isPath ? [] : ['the path is not documented'];
}

/** Converts the value of a header to the type in its schema. */
function headerValue(text: string, { type }: Schema): unknown {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'number') return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return /^(?:true|false)$/.test(text) ? text === 'true' : text;
  return text;
}

/** Routes that use keys, which do not belong in browsers. */
const forPrograms = new Set(['/v1/optimize', '/v1/quota']);

/** Checks relations between the headers of a response, which no schema can express. */
export function headerRelations(path: string, { headers }: Response): string[] {
  const complaints: string[] = [];
  const cors = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  if (forPrograms.has(path) && cors.length > 0) complaints.push(`${cors} on a route for programs`);

  const optimized = headers.get('Image-Optimized');
  if (optimized === null) return complaints;
  const hasReason = headers.has('Image-Reason');
  if (hasReason !== (optimized === 'false')) {
    complaints.push(`Image-Optimized: ${optimized} ${hasReason ? 'with' : 'without'} Image-Reason`);
  }
  if (headers.get('Image-Output-Bytes') !== headers.get('Content-Length')) {
    complaints.push('Image-Output-Bytes is not Content-Length');
  }
  return complaints;
}

/** Checks relations within a problem, and between a problem and its response. */
export function problemRelations(problem: unknown, { status, headers }: Response): string[] {
  if (!isObject(problem) || !isCode(problem.code)) return ['the code is none'];
  const { code, title, type, status: stated, request_id, detail } = problem;
  const expected = errorTable[code];
  const own = membersOf(code);
  const names = Object.keys(problemMembers) as ProblemMember[];
  const isAboutFields =
    code === 'invalid_request' && /^(?:"[^"]+"|The body): /.test(String(detail));
  const checks: [isWrong: boolean, complaint: string][] = [
    [stated !== status || status !== expected.status, `status ${stated} of ${code} in ${status}`],
    [request_id !== headers.get('Request-Id'), 'request_id is not the header’s'],
    [!String(type).endsWith(`/docs/errors#${code}`), `type ${type} of ${code}`],
    [title !== expected.title, `title ${title} of ${code}`],
    [isAboutFields && !('errors' in problem), 'a complaint about fields without errors'],
    ...names.map((name): [boolean, string] => [
      name in problem
        ? !own.includes(name)
        : own.includes(name) && problemMembers[name].isAlwaysPresent,
      `${name} ${name in problem ? 'of another code' : 'is missing'} in ${code}`,
    ]),
  ];
  return checks.flatMap(([isWrong, complaint]) => (isWrong ? complaint : []));
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/** Errors that are returned before routing. */
const gates: readonly (readonly [status: number, code: ErrorCode])[] = [
  [400, 'key_in_query'],
  [403, 'origin_not_allowed'],
];

/**
 * The allowed responses for a path or method that does not exist, by status.
 * @param name name of the usual response in the document
 */
function unroutedResponses(
  document: OpenApiDocument,
  name: 'NotFound' | 'MethodNotAllowed',
): Responses {
  const { schemas, responses } = document.components;
  const { NotFound: plain, [name]: proper } = responses;
  if (!plain || !proper) throw new Error(`the document has no response ${name}`);
  const refusals = gates.map(([status, code]) => [
    status,
    {
      headers: plain.headers,
      content: {
        'application/problem+json': {
          schema: { allOf: [schemas.Problem, { properties: { code: { const: code } } }] },
        },
      },
    },
  ]);
  return { ...Object.fromEntries(refusals), [name === 'NotFound' ? 404 : 405]: proper };
}

/** A JSON Schema of the document, with references resolved. */
export type Schema = Readonly<Record<string, unknown>>;

interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: Schema;
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, DescribedHeader>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** By status or by name. */
type Responses = Readonly<Record<string, DescribedResponse>>;

interface Operation {
  readonly responses: Responses;
}

/** The parts of an OpenAPI document that are read here. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Responses;
  };
}

/** The document with every reference resolved; there are no circular references. */
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
 * The schema without additional members. The document allows them, because members may be added later, but everything
 * that is sent has to be described. A schema that defines its additional members itself stays unchanged.
 */
function withoutExtraMembers(schema: Schema, isPart = false): Schema {
  const { properties, allOf, anyOf, items, additionalProperties } = schema;
  const some = (list: unknown, areParts: boolean) =>
    Array.isArray(list) &&
    list.map((each) => (isObject(each) ? withoutExtraMembers(each, areParts) : each));
  const isOpen = additionalProperties === undefined && !isPart;
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [
          name,
          isObject(each) ? withoutExtraMembers(each) : each,
        ]),
      ),
    }),
    // The members that its parts name together are allowed.
    ...(Array.isArray(allOf) && { allOf: some(allOf, true) }),
    ...(Array.isArray(anyOf) && { anyOf: some(anyOf, isPart) }),
    ...(isObject(items) && { items: withoutExtraMembers(items) }),
    ...(isOpen &&
      (isObject(properties) || Array.isArray(allOf)) && { unevaluatedProperties: false }),
  };
}

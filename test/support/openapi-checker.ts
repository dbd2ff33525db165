import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  closed,
  type DescribedHeader,
  type DescribedResponse,
  type OpenApiDocument,
  type Responses,
  type Schema,
  withoutReferences,
} from './openapi-document.ts';
import { headerRelations, problemRelations } from './openapi-relations.ts';
import { unroutedResponses } from './openapi-unrouted.ts';

/**
 * Headers that are no operation's own: what the connection needs, what keeps
 * browsers out, and CORS with the `Vary` that belongs to it.
 */
const everywhere =
  /^(?:access-control-.*|connection|content-(?:encoding|length|security-policy|type)|cross-origin-.*|date|keep-alive|origin-agent-cluster|referrer-policy|strict-transport-security|transfer-encoding|vary|x-(?:content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection))$/;

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
   * @throws Error that says what the document does not allow
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

  /** What there may be, by status, for a path and method that may be none. */
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
      .filter((name) => !names.has(name) && !everywhere.test(name))
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
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(closed(schema));
    this.#compiled.set(schema, validate);
    if (validate(value)) return [];
    return [`${what} ${this.#ajv.errorsText(validate.errors?.slice(0, 10), { dataVar: '' })}`];
  }
}

/** The methods of the path; or those that CORS lets through, which is said before any path is looked for. */
function optionsComplaints({ headers }: Response, isPath: boolean): string[] {
  if (headers.has('Content-Type')) return ['a content type without content'];
  if (headers.has('Access-Control-Allow-Methods')) return [];
  if (!headers.has('Allow')) return ['the header Allow is missing'];
  return isPath ? [] : ['the path is not documented'];
}

/** A header's value as its schema takes it. */
function headerValue(text: string, { type }: Schema): unknown {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return /^(?:true|false)$/.test(text) ? text === 'true' : text;
  return text;
}

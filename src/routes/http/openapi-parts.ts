import { z } from '@hono/zod-openapi';

/** The body of a route that takes JSON. */
export function jsonRequest<Schema extends z.ZodType>(schema: Schema, example?: z.input<Schema>) {
  return {
    required: true,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  };
}

/** A JSON response. `headers` are those that it has in addition to the headers of every response. */
export function jsonResponse<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  headers: Readonly<Record<string, OwnHeader>> = {},
) {
  return {
    description,
    headers: headersWith([], headers),
    content: { 'application/json': { schema } },
  };
}

/** The header of a response that sets cookies. */
export function setsCookie(description: string): Readonly<Record<string, OwnHeader>> {
  return { 'Set-Cookie': { description, required: true, schema: { type: 'string' } } };
}

/** The body of a response that only confirms success. */
export const success = z.object({ success: z.literal(true) });

/**
 * A header of some responses. A type alias, because no interface is assignable to OpenAPI's header type with its `x-`
 * members.
 */
export type OwnHeader = {
  readonly description: string;
  /** Whether every response that lists the header sends it. */
  readonly required: boolean;
  readonly schema: {
    readonly type: 'string' | 'integer' | 'number' | 'boolean';
    readonly minimum?: number;
    readonly maximum?: number;
    readonly pattern?: string;
    readonly enum?: string[];
  };
  readonly example?: string | number | boolean;
};

/** Response headers that mean the same in every response; the document describes each once. */
export const commonHeaders = {
  'Request-Id': {
    description: 'Identifies this request. Quote it when you ask for help.',
    required: true,
    schema: { type: 'string' },
    example: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
  },
  'Cache-Control': {
    description: 'Responses must not be stored.',
    required: true,
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  'Retry-After': {
    description: 'Seconds until a retry can succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods that this path supports.',
    required: true,
    schema: { type: 'string' },
    example: 'POST, OPTIONS',
  },
} satisfies Record<string, OwnHeader>;

export type CommonHeader = keyof typeof commonHeaders;

/** The header that identifies the request. */
export const requestIdHeader = { 'Request-Id': { $ref: '#/components/headers/Request-Id' } };

type Headers = Record<string, OwnHeader | { readonly $ref: string }>;

/** The headers of a response: those of every response, further common ones, and its own. */
export function headersWith(common: readonly CommonHeader[], own: Headers = {}): Headers {
  const names: readonly CommonHeader[] = ['Request-Id', 'Cache-Control', ...common];
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return { ...Object.fromEntries(references), ...own };
}

/** A whole number within these bounds, in a request. */
export function wholeNumber(min: number, max: number) {
  const error = `should be a whole number from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
}

/** A time as responses have it. */
export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

// Schemas of values in responses, only for the OpenAPI document; nothing is validated with them.

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = z.iso
  .datetime()
  .openapi({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });

/** A number of files, bytes or seconds. */
export const count = z.int().min(0);

/** The id of a user, a key, a payment or a site; the first of several kinds is the example. */
export function id(...kinds: readonly [IdKind, ...IdKind[]]) {
  const prefix = kinds.length === 1 ? kinds[0] : `(${kinds.join('|')})`;
  return z
    .string()
    .openapi({ pattern: `^${prefix}_[0-9A-Za-z]{16,}$`, example: `${kinds[0]}_Xk2v9QmB7sLwD4tR` });
}

type IdKind = 'usr' | 'key' | 'pay' | 'site';

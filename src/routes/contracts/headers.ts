/** A header of some responses. A type, since OpenAPI's own have room for `x-` members, which no interface fits. */
export type OwnHeader = {
  readonly description: string;
  /** Whether it is sent with every response that names it. */
  readonly required: boolean;
  readonly schema: {
    readonly type: 'string' | 'integer' | 'boolean';
    readonly minimum?: number;
    readonly maximum?: number;
    readonly pattern?: string;
    readonly enum?: string[];
  };
  readonly example?: string | number | boolean;
};

/** Response headers that are the same wherever they stand; the document describes each once. */
export const commonHeaders = {
  'Request-Id': {
    description: 'Names this request; quote it when asking about it.',
    required: true,
    schema: { type: 'string' },
    example: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
  },
  'Cache-Control': {
    description: 'Answers are for the moment and for whoever asked.',
    required: true,
    schema: { type: 'string', enum: ['no-store'] },
    example: 'no-store',
  },
  'Retry-After': {
    description: 'Seconds until trying again makes sense.',
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
    description: 'The methods of this path.',
    required: true,
    schema: { type: 'string' },
    example: 'POST, OPTIONS',
  },
} satisfies Record<string, OwnHeader>;

export type CommonHeader = keyof typeof commonHeaders;

type Headers = Record<string, OwnHeader | { readonly $ref: string }>;

/** The headers of a response: what every one has, further common ones, and its own. */
export function headersWith(common: readonly CommonHeader[], own: Headers = {}): Headers {
  const names: readonly CommonHeader[] = ['Request-Id', 'Cache-Control', ...common];
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return { ...Object.fromEntries(references), ...own };
}

/** The two ways to say who is calling, for the OpenAPI document. */
export const securitySchemes = {
  apiKey: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'imgo_…',
    description:
      'An API key, for servers: `Authorization: Bearer imgo_…`. Never in a query string, which is logged, and never in a browser.',
  },
  session: {
    type: 'apiKey' as const,
    in: 'cookie' as const,
    name: 'sid',
    description:
      'The session of the cabinet: an HttpOnly cookie for 30 days, set by `verifyCode`, ended by `signOut`.',
  },
};

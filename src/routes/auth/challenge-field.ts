import { z } from '@hono/zod-openapi';

/** The cookie of the two sign-in calls, for the OpenAPI document. */
export const challengeField = z.object({
  challenge: z.string().optional().openapi({
    description:
      'Set by `requestCode`; browsers send it by themselves. It names the code that was asked for here, which has tries of its own then. A new request replaces it.',
  }),
});

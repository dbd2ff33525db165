import { z } from '@hono/zod-openapi';

/** The body of an answer that has nothing else to say. */
export const successBody = {
  'application/json': { schema: z.object({ success: z.literal(true) }) },
};

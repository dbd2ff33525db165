import { createRoute, z } from '@hono/zod-openapi';
import { problemResponses } from '../contracts/problem-responses.ts';
import { signedIn } from '../gates/session.ts';

const figures = {
  files: z.int(),
  bytes_in: z.int(),
  bytes_out: z.int(),
  bytes_saved: z.int(),
};

const day = z.iso
  .date()
  .refine((text) => text >= '2000-01-01', 'should not be before 2000')
  .openapi({ example: '2026-11-20' });

export const statisticsSchema = z.object({
  from: day,
  to: day,
  totals: z.object(figures),
  days: z
    .array(z.object({ date: day, ...figures }))
    .openapi({ description: 'Every day of the range.' }),
  keys: z
    .array(
      z.object({
        id: z.string().nullable().openapi({ description: 'Null: uploads at the cabinet.' }),
        name: z.string(),
        prefix: z.string(),
        ...figures,
      }),
    )
    .openapi({ description: 'Every key that was used, the busiest first.' }),
});

export const contract = createRoute({
  method: 'get',
  path: '/v1/statistics',
  tags: ['Statistics'],
  summary: 'Files and bytes by day and by key, in UTC days',
  security: [{ session: [] }],
  middleware: [signedIn],
  request: {
    query: z.object({
      from: day.optional().openapi({ description: 'First day; 29 days before `to`.' }),
      to: day.optional().openapi({ description: 'Last day, included; today.' }),
      key_id: z.string().optional().openapi({ description: 'Only this key.' }),
      format: z
        .enum(['json', 'csv'])
        .optional()
        .openapi({ description: '`csv` gives the days as CSV, as `Accept: text/csv` does.' }),
    }),
  },
  responses: {
    200: {
      description: 'What was done in the range.',
      content: {
        'application/json': { schema: statisticsSchema },
        'text/csv': { schema: z.string() },
      },
    },
    ...problemResponses(
      'invalid_request',
      'key_in_query',
      'auth_required',
      'key_not_found',
      'internal_error',
    ),
  },
});

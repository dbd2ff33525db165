import { createRoute, z } from '@hono/zod-openapi';
import { headersWith } from '../contracts/headers.ts';
import { problemResponses } from '../contracts/problem-responses.ts';
import { count, id } from '../contracts/values.ts';
import { signedIn } from '../gates/session.ts';

const figures = {
  files: count.openapi({ description: 'Files answered with a picture.' }),
  bytes_in: count.openapi({ description: 'What came in.' }),
  bytes_out: count.openapi({ description: 'What went out.' }),
  bytes_saved: count.openapi({
    description: 'Of the files that came out smaller, what they lost.',
  }),
};

const day = z.iso
  .date()
  .refine((text) => text >= '2000-01-01', 'should not be before 2000')
  .openapi({ example: '2026-11-20' });

export const statisticsSchema = z
  .object({
    from: day,
    to: day,
    totals: z.object(figures),
    days: z
      .array(z.object({ date: day, ...figures }))
      .openapi({ description: 'Every day of the range.' }),
    keys: z
      .array(
        z.object({
          id: id('key').nullable().openapi({ description: 'Null: uploads at the cabinet.' }),
          name: z.string().openapi({ example: 'shop' }),
          prefix: z.string().openapi({ example: 'imgo_A1b2C3' }),
          ...figures,
        }),
      )
      .openapi({ description: 'Every key that was used, the busiest first.' }),
  })
  .openapi('Statistics', { description: 'Files and bytes of a range of days.' });

const csvExample =
  'date,files,bytes_in,bytes_out,bytes_saved\r\n2026-11-20,12,8123456,3012345,5111111\r\n';

export const contract = createRoute({
  method: 'get',
  path: '/v1/statistics',
  operationId: 'getStatistics',
  tags: ['Statistics'],
  summary: 'See files and bytes by day and by key',
  description:
    'Days are those of UTC. A range has at most 366 of them. With `format=csv` or `Accept: text/csv` the days come as CSV (RFC 4180).',
  security: [{ session: [] }],
  middleware: [signedIn],
  request: {
    query: z.object({
      from: day.optional().openapi({ description: 'First day. Without it: 29 days before `to`.' }),
      to: day.optional().openapi({ description: 'Last day, included. Without it: today.' }),
      key_id: z
        .string()
        .optional()
        .openapi({ description: 'Only this key.', example: 'key_Xk2v9QmB7sLwD4tR' }),
      format: z.enum(['json', 'csv']).optional().openapi({
        description: 'Form of the answer. Without it, `Accept` decides.',
        example: 'csv',
      }),
    }),
  },
  responses: {
    200: {
      description: 'What was done in the range.',
      headers: headersWith([], {
        Vary: {
          description: '`Accept` may have decided on the form.',
          required: true,
          schema: { type: 'string' },
        },
        'Content-Disposition': {
          description: 'Of CSV: a file name with the range in it.',
          required: false,
          schema: { type: 'string' },
        },
      }),
      content: {
        'application/json': { schema: statisticsSchema },
        'text/csv': { schema: z.string(), example: csvExample },
      },
    },
    ...problemResponses(
      'invalid_request',
      'key_in_query',
      'auth_required',
      'key_not_found',
      'internal_error',
      'overloaded',
    ),
  },
});

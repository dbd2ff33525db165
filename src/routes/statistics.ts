import { z } from '@hono/zod-openapi';
import { accepts } from 'hono/accepts';
import { addDays, dayOf, daysIn, firstDayKept, monthsKeptByDay } from '../policy/quota.ts';
import { findMailbox } from '../store/mailboxes.ts';
import { type Figures, findUsage, type Usage } from '../store/usage.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { askMeter } from './http/meter.ts';
import { count, headersWith, id } from './http/openapi-parts.ts';
import { invalidRequest } from './http/problems.ts';
import { demandKey } from './keys/key-record.ts';
import { waitForBookings } from './optimize/bookkeeping.ts';
import { demandSite } from './sites/described-site.ts';

const figureFields = {
  files: count.openapi({ description: 'Files for which an image was returned.' }),
  bytes_in: count.openapi({ description: 'Bytes of these files as they came.' }),
  bytes_out: count.openapi({ description: 'Bytes of these files as they were sent back.' }),
  bytes_saved: count.openapi({
    description:
      'Bytes by which files came back smaller. A file that came back larger, such as a conversion, takes nothing off: these files together added `bytes_out` − `bytes_in` + `bytes_saved`.',
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
    totals: z.object(figureFields).openapi({ description: 'The sum of `days` and `months`.' }),
    days: z.array(z.object({ date: day, ...figureFields })).openapi({
      description: 'Every day in the range. Days that are kept only by month are zero.',
    }),
    months: z
      .array(
        z.object({
          month: z
            .string()
            .regex(/^\d{4}-\d{2}$/)
            .openapi({ example: '2025-09' }),
          ...figureFields,
        }),
      )
      .openapi({
        description:
          'Months that are no longer kept by day, if anything was processed. Each covers the whole month, even if only some of its days are in the range.',
      }),
    keys: z
      .array(
        z.object({
          id: id('key', 'site'),
          name: z.string().openapi({
            description:
              'Empty, along with `prefix`, if the key’s or site’s record has been deleted.',
            example: 'shop',
          }),
          prefix: z.string().openapi({
            description: 'The beginning of the key; empty for a site.',
            example: 'fewer_A1b2C',
          }),
          ...figureFields,
        }),
      )
      .openapi({ description: 'Every key and every site that was used, most used first.' }),
  })
  .openapi('Statistics', { description: 'Files and bytes for a range of days.' });

const csvExample =
  'date,files,bytes_in,bytes_out,bytes_saved\r\n2026-11-20,12,8123456,3012345,5111111\r\n';

const contract = defineRoute({
  method: 'get',
  path: '/v1/statistics',
  operationId: 'getStatistics',
  tags: ['Statistics'],
  summary: 'Get files and bytes by day, and by key or site',
  description: [
    'Days are UTC days; a range can have up to 366.',
    `Figures are kept by day for the current month and the ${monthsKeptByDay} before it, and by month for anything older. Older days are zero, \`months\` has the months they belong to, and totals and keys include those months in full.`,
    'With `format=csv` or `Accept: text/csv`, the response is CSV (RFC 4180): a row for each day, then one for each of `months` with the month in the `date` column. The rows add up to the totals.',
  ].join(' '),
  credential: 'session',
  request: {
    query: z.object({
      from: day.optional().openapi({ description: 'First day. Default: 29 days before `to`.' }),
      to: day.optional().openapi({
        description: 'Last day, inclusive. Default: today, or `from` if that is later.',
      }),
      key_id: z
        .string()
        .optional()
        .openapi({ description: 'Only this key, or this site.', example: 'key_Xk2v9QmB7sLwD4tR' }),
      format: z.enum(['json', 'csv']).optional().openapi({
        description: 'Format of the response. Without this parameter, `Accept` decides.',
        example: 'csv',
      }),
    }),
  },
  problems: ['invalid_request', 'key_not_found', 'site_not_found'],
  responses: {
    200: {
      description: 'The statistics for the range.',
      headers: headersWith([], {
        Vary: {
          description: '`Accept`, because it can decide the format.',
          required: true,
          schema: { type: 'string' },
        },
        'Content-Disposition': {
          description: 'With CSV: a file name that contains the range.',
          required: false,
          schema: { type: 'string' },
        },
      }),
      content: {
        'application/json': { schema: statisticsSchema },
        'text/csv': { schema: z.string(), example: csvExample },
      },
    },
  },
});

/** Number of days in a range without a start. */
const defaultRangeDays = 30;

/** Maximum number of days in a range. */
export const maxRangeDays = 366;

type Report = z.infer<typeof statisticsSchema>;

/** Statistics about the signed-in user's keys and sites. */
export const statistics = createRouter().openapi(contract, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const { from, to, key_id: keyId = null, format } = c.req.valid('query');
  const now = Date.now();
  const range = rangeOf(from, to, dayOf(now));
  if (keyId?.startsWith('site_')) await demandSite(c, keyId);
  else if (keyId !== null) await demandKey(c, keyId);
  await waitForBookings(mailboxId);
  if ((await findMailbox(c.env.DB, mailboxId))?.isMetered) {
    await askMeter(c, mailboxId, (meter) => meter.flush());
  }
  const terms = { userId, keyId, firstDayKept: firstDayKept(now), ...range };
  const usage = await findUsage(c.env.DB, terms);
  const report = describe(usage, range);

  c.header('Vary', 'Accept', { append: true });
  const accepted = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/csv'],
    default: 'application/json',
  });
  if ((format ?? (accepted === 'text/csv' ? 'csv' : 'json')) === 'json') return c.json(report, 200);
  return c.body(csv(report), 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="statistics-${range.from}-${range.to}.csv"`,
  });
});

/** @throws ApiError `invalid_request` for a range that runs backwards or is too long */
function rangeOf(
  first: string | undefined,
  last: string | undefined,
  today: string,
): { from: string; to: string } {
  const to = last ?? (first !== undefined && first > today ? first : today);
  const from = first ?? addDays(to, 1 - defaultRangeDays);
  const days = daysIn(from, to);
  if (days < 1) throw invalidRequest([{ path: ['from'], message: 'should not be after "to"' }]);
  if (days > maxRangeDays) {
    const message = `should be at most ${maxRangeDays} days before "to", both included`;
    throw invalidRequest([{ path: ['from'], message }]);
  }
  return { from, to };
}

function describe(
  { days, months, keys }: Usage,
  { from, to }: { from: string; to: string },
): Report {
  const used = new Map(days.map((day) => [day.date, day]));
  const allDays = Array.from({ length: daysIn(from, to) }, (_, i) => {
    const date = addDays(from, i);
    return { date, ...figures(used.get(date)) };
  });
  const all = [...days, ...months];
  return {
    from,
    to,
    totals: figures({
      files: sum(all, 'files'),
      bytesIn: sum(all, 'bytesIn'),
      bytesOut: sum(all, 'bytesOut'),
      bytesSaved: sum(all, 'bytesSaved'),
    }),
    days: allDays,
    months: months.map((one) => ({ month: one.month, ...figures(one) })),
    keys: keys.map((key) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      ...figures(key),
    })),
  };
}

function figures({ files, bytesIn, bytesOut, bytesSaved }: Figures = nothing) {
  return { files, bytes_in: bytesIn, bytes_out: bytesOut, bytes_saved: bytesSaved };
}

const nothing: Figures = { files: 0, bytesIn: 0, bytesOut: 0, bytesSaved: 0 };

function sum(periods: readonly Figures[], figure: keyof Figures): number {
  return periods.reduce((total, period) => total + period[figure], 0);
}

/** CSV (RFC 4180): days, then months. Dates and numbers need no quotes. */
function csv({ days, months }: Report): string {
  const rows = [
    ...days.map(({ date, ...rest }) => csvRow(date, rest)),
    ...months.map(({ month, ...rest }) => csvRow(month, rest)),
  ];
  return `${['date,files,bytes_in,bytes_out,bytes_saved', ...rows].join('\r\n')}\r\n`;
}

function csvRow(period: string, { files, bytes_in, bytes_out, bytes_saved }: Report['totals']) {
  return [period, files, bytes_in, bytes_out, bytes_saved].join(',');
}

import type { z } from '@hono/zod-openapi';
import { accepts } from 'hono/accepts';
import type { SignedInEnv } from '../context.ts';
import { addDays, dayOf, daysIn } from '../policy/calendar.ts';
import { type Figures, findUsage, type Usage } from '../store/usage.ts';
import { createRouter, invalidRequest } from './contracts/router.ts';
import { demandKey } from './keys/demand-key.ts';
import { upToDate } from './optimize/bookkeeping.ts';
import { contract, type statisticsSchema } from './statistics/contract.ts';

/** Days, when none are asked for. */
const usualRange = 30;

/** Days, at most. */
export const longestRange = 366;

type Report = z.infer<typeof statisticsSchema>;

/** What the keys of whoever is signed in have done. */
export const statistics = createRouter<SignedInEnv>().openapi(contract, async (c) => {
  const { userId } = c.var.session;
  const { from, to, key_id: keyId = null, format } = c.req.valid('query');
  const range = rangeOf(from, to, dayOf(Date.now()));
  if (keyId !== null) await demandKey(c.env.DB, userId, keyId);
  await upToDate(userId);
  const usage = await findUsage(c.env.DB, { userId, keyId, ...range });
  const report = describe(usage, range);

  c.header('Vary', 'Accept', { append: true });
  const accepted = accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'text/csv'],
    default: 'application/json',
  });
  if ((format ?? (accepted === 'text/csv' ? 'csv' : 'json')) === 'json') return c.json(report, 200);
  return c.body(csv(report.days), 200, {
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
  const from = first ?? addDays(to, 1 - usualRange);
  const days = daysIn(from, to);
  if (days < 1) throw invalidRequest([{ path: ['from'], message: 'should not be after "to"' }]);
  if (days > longestRange) {
    const message = `should be at most ${longestRange} days before "to", both included`;
    throw invalidRequest([{ path: ['from'], message }]);
  }
  return { from, to };
}

function describe({ days, keys }: Usage, { from, to }: { from: string; to: string }): Report {
  const used = new Map(days.map((day) => [day.date, day]));
  const allDays = Array.from({ length: daysIn(from, to) }, (_, i) => {
    const date = addDays(from, i);
    return { date, ...figures(used.get(date)) };
  });
  return {
    from,
    to,
    totals: figures({
      files: sum(days, 'files'),
      bytesIn: sum(days, 'bytesIn'),
      bytesOut: sum(days, 'bytesOut'),
      bytesSaved: sum(days, 'bytesSaved'),
    }),
    days: allDays,
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

function sum(days: readonly Figures[], figure: keyof Figures): number {
  return days.reduce((total, day) => total + day[figure], 0);
}

/** RFC 4180. Days and numbers need no quotes. */
function csv(days: Report['days']): string {
  const rows = days.map((day) =>
    [day.date, day.files, day.bytes_in, day.bytes_out, day.bytes_saved].join(','),
  );
  return `${['date,files,bytes_in,bytes_out,bytes_saved', ...rows].join('\r\n')}\r\n`;
}

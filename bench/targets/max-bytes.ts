import type { Part, Table } from '../harness/section.ts';
import { optimized } from '../service/in-process.ts';
import { type Drawn, drawnLimits } from './limits/drawn.ts';
import {
  failuresOf,
  type Limited,
  limitedTable,
  littleUsedTable,
  scoresTable,
  unreachableTable,
} from './limits/report.ts';
import { queryFor, subjectsOf } from './subjects.ts';
import { wholeScore } from './whole-score.ts';

/** Whether `max_bytes` is observed, and how much of it is used. */
export const maxBytes: Part = {
  name: 'max-bytes',
  async measure(settings) {
    const drawn = drawnLimits(subjectsOf(settings), settings.filesEach);
    const runs: Limited[] = [];
    for (const one of drawn) {
      const run = limited(one);
      const { subject, format, limit } = one;
      settings.say(
        `${subject.file.name} → ${format}, ${limit}: ${run.bytes ?? run.smallest ?? '–'}`,
      );
      runs.push(run);
    }
    const tables: Table[] = [
      limitedTable(runs),
      scoresTable(runs),
      unreachableTable(runs),
      littleUsedTable(runs),
    ];
    return {
      title: 'Limits of bytes',
      text: text(runs.length),
      tables,
      plots: [],
      failures: failuresOf(runs),
    };
  },
};

/** Requests a picture within a limit; if it cannot be reached, also at the lowest target. */
function limited(drawn: Drawn): Limited {
  const { subject, format, limit } = drawn;
  const { bytes: file, name } = subject.file;
  const ask = (goal: Readonly<Record<string, string>>) => optimized(file, queryFor(format, goal));
  const answer = ask({ max_bytes: String(limit) });
  const none = {
    name,
    format,
    limit,
    bytes: null,
    quality: null,
    score: null,
    whole: null,
    smallest: null,
  };
  if (answer.kind === 'optimized') {
    const { bytes, quality, score } = answer.result;
    const whole = typeof quality === 'number' ? wholeScore(file, bytes) : null;
    return { ...none, bytes: bytes.length, quality, score, whole, least: null };
  }
  if (answer.kind !== 'refused' || answer.reason !== 'max-bytes') return { ...none, least: null };
  const least = ask({ target: '30' });
  return {
    ...none,
    smallest: answer.smallestBytes,
    least: least.kind === 'optimized' ? least.result.bytes.length : null,
  };
}

function text(count: number): string {
  return `${count} times a picture, a format and a limit between 5 and 80 % of the source's bytes, evenly by its logarithm, are
drawn; the seed is fixed. *Used* is the length of the result in its limit, where the lossy scale spans it: not of results that are exact,
are palettes, or have come to the score of 95 or the end of the scale, where more bytes have no use. An unreachable limit is
answered with the length of the shortest result that was tried, which stands beside that of \`target=30\`.`;
}

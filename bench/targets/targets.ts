import { namedTargets } from '../../src/image/metric/targets.ts';
import type { BenchSettings, Part } from '../harness/section.ts';
import { eachPicture } from '../measures/figures.ts';
import {
  type AgainstFixed,
  bytesAt,
  failuresOfFixed,
  fixedFigures,
  fixedTable,
  sumOf,
} from './fixed.ts';
import {
  type AtTarget,
  askedTargets,
  failuresOfReached,
  missedTable,
  reachedTable,
} from './reached.ts';
import { type Scored, scoredResult } from './searched.ts';
import { jpegComparisons, smallerAsTable } from './smaller-as.ts';
import { type Subject, subjectsOf } from './subjects.ts';

/** How close results come to the requested scores, and how many bytes they take compared with fixed qualities. */
export const targets: Part = {
  name: 'targets',
  async measure(settings) {
    const { say } = settings;
    const subjects = subjectsOf(settings).map((subject) => ({
      ...subject,
      name: subject.file.name,
    }));
    const measured = await eachPicture(subjects, async (subject) => runsOf(subject), say);
    const runs = measured.results.flat();
    const reached = runs.flatMap(({ scored }) => scored);
    const fixed = againstFixed(runs, say);
    return {
      title: 'Scores that are asked for, and scores of results',
      text: text(subjects.length),
      tables: [
        reachedTable(reached),
        fixedTable(fixed),
        smallerAsTable(jpegComparisons(reached)),
        missedTable(reached),
      ],
      plots: [],
      failures: [...measured.failures, ...failuresOfReached(reached), ...failuresOfFixed(fixed)],
    };
  },
};

/** A picture in one format: at each target, and at the fixed quality if the format has one. */
interface Runs {
  readonly subject: Subject;
  readonly format: Scored['format'];
  readonly scored: readonly AtTarget[];
  readonly fixed: Scored | null;
}

function runsOf(subject: Subject): Runs[] {
  return subject.formats.map((format) => {
    const scored = askedTargets.flatMap((target) => {
      const result = scoredResult(subject, format, { target: String(target) });
      return result ? [{ target, scored: result }] : [];
    });
    const quality = fixedFigures[format];
    const fixed =
      quality === undefined ? null : scoredResult(subject, format, { quality: String(quality) });
    return { subject, format, scored, fixed };
  });
}

function againstFixed(all: readonly Runs[], say: BenchSettings['say']): AgainstFixed[] {
  const byFormat = Map.groupBy(all, ({ format }) => format);
  return [...byFormat].flatMap(([format, runs]) => {
    const quality = fixedFigures[format];
    if (quality === undefined) return [];
    const whole = runs.flatMap((run) =>
      run.fixed && run.scored.length === askedTargets.length ? [{ ...run, fixed: run.fixed }] : [],
    );
    const fixed = sumOf(whole.map((run) => run.fixed));
    const target = Math.round(fixed.score);
    say(`${format} at target ${target}`);
    const sumAt = (wanted: number) => sumOf(whole.flatMap((run) => resultAt(run, wanted) ?? []));
    const atTarget = sumAt(target);
    const sums = [...askedTargets.map(sumAt), atTarget];
    return [
      {
        ...{ format, figure: quality, pictures: whole.length, fixed, target, atTarget },
        auto: sumAt(namedTargets.medium),
        bytesAtSameScore: bytesAt(fixed.score, sums),
      },
    ];
  });
}

/** The result at a target, which is computed if necessary. */
function resultAt({ subject, format, scored }: Runs, target: number): Scored | null {
  const known = scored.find((run) => run.target === target);
  return known?.scored ?? scoredResult(subject, format, { target: String(target) });
}

function text(pictures: number): string {
  return `${pictures} pictures, JPEGs and PNGs, go into each format, PNGs of at most two megapixels only into PNG. Each whole
result is decoded and scored against its source with the service's own SSIMULACRA2, both upright, transparent ones for JPEG
on white: the service has scored a sample of them. *Searched* are results of the lossy scale, between its ends. Others
look at least as asked for, but for those that the source caps, a JPEG with less to give (held against that), and at the end
of the scale, which may be 5 points below. *Image-Score off* is what the header says less the score of the whole.
Sums of bytes at fixed figures are those of \`quality=\`; bytes at the same mean score lie between those of the targets, by their
logarithm. \`auto\` is the target 77.`;
}

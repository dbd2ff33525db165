import type { OutputType } from '../../src/image/formats/facts.ts';
import type { Part, Table } from '../harness/section.ts';
import { figure, median } from '../measures/figures.ts';
import { type Optimized, optimized } from '../service/in-process.ts';
import { largestPhoto } from '../service/largest-photo.ts';
import type { Query } from '../service/memory/configurations.ts';
import { bytesOf, SourcePictures } from '../service/memory/source-pictures.ts';
import { wholeScore } from './whole-score.ts';

/** CPU time of a search, compared with a single pass at the quality found. */
export const searchCpu: Part = {
  name: 'search-cpu',
  async measure({ corpus, say, filesEach }) {
    const photo = await largestPhoto(corpus.photos);
    const pictures = await SourcePictures.of(photo.bytes);
    try {
      const searches: Search[] = [];
      const comparisons: FixedComparison[] = [];
      for (const size of sizes.slice(0, filesEach)) {
        const file = await bytesOf(await pictures.make('JPEG', size * 1e6));
        for (const format of lossy) {
          const search = searchOf(file, format, size);
          say(
            `${format}, ${size} MP: ${figure(search.auto, 1)} ms, ${figure(search.pass, 1)} in one pass`,
          );
          searches.push(search);
        }
        if (size === 1) comparisons.push(...lossy.map((format) => compareWithFixed(file, format)));
      }
      const png = await bytesOf(await pictures.make('PNG', 1e6));
      comparisons.push(compareWithFixed(png, 'png'));
      return {
        title: 'CPU time of a search',
        text: text(photo.name),
        tables: [searchTable(searches), fixedComparisonTable(comparisons)],
        plots: [],
        failures: failuresOf(searches),
      };
    } finally {
      await pictures.end();
    }
  },
};

/** Sizes in megapixels; `--files` limits their number, smallest first. */
const sizes = [1, 3, 6, 12, 24];
const lossy = ['jpeg', 'webp', 'avif'] as const;

/** Number of runs, of which the median counts; one run before them compiles the code. */
const runs = 3;

/** CPU times in milliseconds of `quality=auto`, and of a pass at the quality found. */
export interface Search {
  readonly format: OutputType;
  readonly megapixels: number;
  readonly quality: string;
  readonly auto: number;
  readonly pass: number;
}

/** A search may take half the time of a pass, but at least this many milliseconds. */
const minBound = 250;

export function boundOf({ pass }: Search): number {
  return Math.max(pass / 2, minBound);
}

/** The time of the search over the time allowed. */
export function overBound(search: Search): number {
  return (search.auto - search.pass) / boundOf(search);
}

function searchOf(file: Uint8Array<ArrayBuffer>, format: OutputType, size: number): Search {
  const auto = measured(file, { format });
  const quality = String(auto.result.quality);
  // If the original is kept, there is no pass to repeat.
  const pass = measured(file, { format, quality: quality === 'original' ? 'lossless' : quality });
  return { format, megapixels: size, quality, auto: auto.cpuMs, pass: pass.cpuMs };
}

/** The result of the last run, with the median CPU time of all runs. */
function measured(file: Uint8Array<ArrayBuffer>, query: Query): Optimized {
  let last = optimizedOrThrow(file, query);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    last = optimizedOrThrow(file, query);
    times.push(last.cpuMs);
  }
  return { ...last, cpuMs: median(times) ?? last.cpuMs };
}

function optimizedOrThrow(file: Uint8Array<ArrayBuffer>, query: Query): Optimized {
  const answer = optimized(file, query);
  if (answer.kind !== 'optimized') throw new Error(`not optimized: ${JSON.stringify(answer)}`);
  return answer;
}

/** A picture of one megapixel with `auto`, and with the fixed quality 77 of its format. */
interface FixedComparison {
  readonly format: OutputType;
  readonly auto: Cost;
  readonly fixed: Cost;
}

interface Cost {
  readonly quality: string;
  /** CPU time in milliseconds. */
  readonly cpu: number;
  readonly bytes: number;
  /** SSIMULACRA2 of the whole picture. */
  readonly score: number;
}

const fixedFigure = '77';

function compareWithFixed(file: Uint8Array<ArrayBuffer>, format: OutputType): FixedComparison {
  const cost = (query: Query): Cost => {
    const { result, cpuMs } = measured(file, { format, ...query });
    const { bytes, quality } = result;
    const score = wholeScore(file, bytes);
    return { quality: String(quality), cpu: cpuMs, bytes: bytes.length, score };
  };
  return { format, auto: cost({}), fixed: cost({ quality: fixedFigure }) };
}

function searchTable(searches: readonly Search[]): Table {
  return {
    caption: 'CPU time in milliseconds: auto against one pass at the quality that it has found',
    columns: [
      '',
      'megapixels',
      'quality',
      'auto',
      'one pass',
      'search',
      'bound',
      'ratio to the bound',
    ],
    rows: searches.map((search) => [
      `JPEG → ${search.format}`,
      ...[
        String(search.megapixels),
        search.quality,
        figure(search.auto, 1),
        figure(search.pass, 1),
      ],
      ...[figure(search.auto - search.pass, 1), figure(boundOf(search), 1)],
      figure(overBound(search), 2),
    ]),
  };
}

function fixedComparisonTable(rows: readonly FixedComparison[]): Table {
  const cells = ({ quality, cpu, bytes, score }: Cost) => [
    ...[quality, figure(cpu, 1), String(bytes), figure(score, 1)],
  ];
  return {
    caption: 'One megapixel by auto, beside quality=77',
    columns: [
      ...['', 'auto: quality', 'CPU ms', 'bytes', 'score'],
      ...['quality=77: written with', 'CPU ms', 'bytes', 'score'],
    ],
    rows: rows.map(({ format, auto, fixed }) => [
      format === 'png' ? 'PNG → png' : `JPEG → ${format}`,
      ...cells(auto),
      ...cells(fixed),
    ]),
  };
}

/** Failed expectations, one sentence each. */
export function failuresOf(searches: readonly Search[]): string[] {
  return searches
    .filter((search) => overBound(search) > 1)
    .map((search) => {
      const { format, megapixels, auto, pass } = search;
      return `${format}, ${megapixels} MP: a search of ${figure(auto - pass)} ms, ${figure(boundOf(search))} allowed`;
    });
}

function text(photo: string): string {
  return `JPEGs of quality 92 and 4:3, tiled from ${photo} or reduced, in the process of the bench: user and system time, medians
of ${runs} runs after one that compiles the code. *Search* is what \`quality=auto\` takes beyond the figure that it has found; it may
take half of that pass, or ${minBound} ms where that is less.`;
}

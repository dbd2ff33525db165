import { ImageError, plan } from '../../src/image/engine.ts';
import { outputTypes } from '../../src/image/formats/facts.ts';
import { readOptions } from '../../src/routes/optimize/options.ts';
import type { CorpusFile, Part, Table } from '../harness/section.ts';
import { figure } from '../measures/figures.ts';
import type { Query } from './memory/configurations.ts';

/** How long work keeps everything else waiting: the CPU time between two of its pauses. */
export const pauses: Part = {
  name: 'pauses',
  async measure({ corpus, filesEach, say }) {
    const files = [...new Map(filesOf(corpus).map((file) => [file.name, file])).values()];
    const conversions = new Map<string, Stretches>();
    for (const file of files.slice(0, filesEach)) {
      for (const query of queries) {
        for (const [conversion, stretch] of stretchesOf(file, query)) {
          const all = conversions.get(conversion) ?? new Stretches();
          conversions.set(conversion, all);
          all.add(stretch, file.name);
        }
      }
      say(`  ${file.name}`);
    }
    const rows = [...conversions].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [conversion, stretches] of rows) {
      say(`  ${[conversion, ...cellsOf(stretches)].join(', ')}`);
    }
    return {
      title: 'CPU time between two pauses of the work',
      text,
      tables: [tableOf(rows)],
      plots: [],
      failures: rows
        .filter(([conversion, stretches]) => !isWithin(conversion, stretches))
        .map(([conversion, stretches]) => `${conversion}: ${cellsOf(stretches).join(', ')}`),
    };
  },
};

const queries: readonly Query[] = [
  {},
  { format: 'auto' },
  { format: 'auto', width: '800' },
  ...outputTypes.map((format) => ({ format, background: '#ffffff' })),
];

/** Limits in milliseconds. */
const maxPercentileMs = 100;
const maxMs = 250;
/** A cell of AVIF, whose encoder cannot be interrupted. */
const maxCellMs = 1200;

function filesOf({
  photos,
  exactPhotos,
  graphics,
  translucent,
  animations,
  files,
}: Record<
  'photos' | 'exactPhotos' | 'graphics' | 'translucent' | 'animations' | 'files',
  readonly CorpusFile[]
>) {
  return [...photos, ...exactPhotos, ...graphics, ...translucent, ...animations, ...files];
}

/** Stretches of work between two pauses, of one conversion. */
class Stretches {
  readonly #milliseconds: number[] = [];
  #longest = { ms: 0, name: '' };

  add(ms: number, name: string): void {
    this.#milliseconds.push(ms);
    if (ms > this.#longest.ms) this.#longest = { ms, name };
  }

  get count(): number {
    return this.#milliseconds.length;
  }

  get longest(): { readonly ms: number; readonly name: string } {
    return this.#longest;
  }

  /** The 95th percentile. */
  get percentile(): number {
    const sorted = this.#milliseconds.toSorted((a, b) => a - b);
    return sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 0;
  }
}

/** The CPU time of each stretch of the work on a file, in milliseconds, and what the file is converted to. */
function* stretchesOf({ bytes }: CorpusFile, query: Query): Generator<[string, number]> {
  const options = readOptions(Object.entries(query), undefined);
  try {
    const work = plan(bytes.slice(), options);
    const running = work.start();
    const milliseconds: number[] = [];
    for (;;) {
      const before = threadMs();
      const done = running.next();
      milliseconds.push(threadMs() - before);
      if (!done) continue;
      const conversion = `${work.inputType} → ${query.format ?? 'keep'}${query.width ? ' (800 wide)' : ''}`;
      for (const ms of milliseconds) yield [conversion, ms];
      return;
    }
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
  }
}

/** CPU time of this thread, without those that collect garbage and compile. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function isWithin(conversion: string, { percentile, longest }: Stretches): boolean {
  if (conversion.startsWith('avif')) return true;
  // "auto" tries AVIF, too.
  const most = /→ (avif|auto)/.test(conversion) ? maxCellMs : maxMs;
  return longest.ms <= most && (percentile <= maxPercentileMs || conversion.endsWith('avif'));
}

function cellsOf({ count, percentile, longest }: Stretches): readonly string[] {
  return [String(count), figure(percentile, 1), figure(longest.ms, 1), longest.name];
}

function tableOf(rows: readonly (readonly [string, Stretches])[]): Table {
  return {
    caption: 'CPU time between two pauses, in milliseconds',
    columns: ['conversion', 'stretches', '95th percentile', 'longest', 'of'],
    rows: rows.map(([conversion, stretches]) => [conversion, ...cellsOf(stretches)]),
  };
}

const text = `Work pauses, so that pages, sign-ins and the books go on beside it. This is the CPU time of the thread between two pauses, in
Node, over all pictures. At most ${maxPercentileMs} ms at the 95th percentile and ${maxMs} ms at worst, with two exceptions: a cell of
AVIF’s encoder, which "auto" tries, takes up to ${maxCellMs} ms, and a call of an AVIF decoder takes as long as it takes.`;

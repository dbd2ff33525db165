import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  createEngine,
  type GivenOptions,
  planSet,
  readOptions,
  readSetOptions,
} from '../../src/image/engine.ts';
import { memoryBudget } from '../../src/image/wasm/budgets.ts';
import { setup as bundleWorker } from '../../test/support/bundled-worker.ts';
import type { CorpusFile, Part, Table } from '../harness/section.ts';
import { timed } from '../measures/cpu-time.ts';
import { figure, mebibytes, megapixels } from '../measures/figures.ts';
import type { PictureRequest } from './memory/fresh-service.ts';
import { inLanes, takenBytes } from './memory.ts';

/** Sets of results of one upload, compared with the same calls one by one, and their memory. */
export const sets: Part = {
  name: 'sets',
  async measure({ corpus, filesEach = 3, say }) {
    const photos = await nearest(12, corpus.photos, filesEach);
    const times: Comparison[] = [];
    for (const photo of photos) {
      for (const formats of formatsOfSets) {
        const row = await compared(photo, formats);
        times.push(row);
        say(`  ${cellsOf(row).join(', ')}`);
      }
    }
    const [photo] = photos;
    const memory = photo ? await memoryOf(photo) : [];
    for (const row of memory) say(`  ${memoryCells(row).join(', ')}`);
    return {
      title: 'Sets',
      text,
      tables: [timeTable(times), memoryTable(memory)],
      plots: [],
      failures: [...times.flatMap(failuresOf), ...memory.flatMap(memoryFailures)],
    };
  },
};

type Formats = readonly ('jpeg' | 'webp' | 'avif' | 'png')[];

const widths = [400, 800, 1200, 1600, 2000];

/** Formats of sets, and the share of the CPU time of single calls that they may take. */
const formatsOfSets: readonly { readonly formats: Formats; readonly most: number }[] = [
  { formats: ['jpeg', 'webp'], most: 0.6 },
  { formats: ['jpeg', 'webp', 'avif'], most: 0.85 },
];

interface Photo extends CorpusFile {
  readonly megapixels: number;
}

/** The photos whose size is nearest to this many megapixels. */
async function nearest(
  size: number,
  photos: readonly CorpusFile[],
  count: number,
): Promise<readonly Photo[]> {
  const sized = await Promise.all(
    photos.map(async (photo) => ({
      ...photo,
      megapixels: megapixels(await sharp(photo.bytes).metadata()),
    })),
  );
  const off = (photo: Photo) => Math.abs(photo.megapixels - size);
  return sized.sort((a, b) => off(a) - off(b)).slice(0, count);
}

interface Comparison {
  readonly photo: Photo;
  readonly formats: Formats;
  readonly results: number;
  /** Results that have the bytes of their single call. */
  readonly equal: number;
  /** CPU time in milliseconds. */
  readonly calls: number;
  readonly set: number;
  readonly most: number;
}

async function compared(
  photo: Photo,
  { formats, most }: (typeof formatsOfSets)[number],
): Promise<Comparison> {
  const engine = createEngine();
  const set = readSetOptions({ widths, formats });
  const calls = async () => {
    const files = new Map<string, Uint8Array>();
    for (const width of widths) {
      for (const format of formats) {
        const given: GivenOptions = { width, format };
        const { bytes } = await engine.optimize(photo.bytes.slice(), readOptions(given));
        files.set(`${width} ${format}`, bytes);
      }
    }
    return files;
  };
  const asSet = async () => {
    const files = new Map<string, Uint8Array>();
    for await (const one of engine.optimizeSet(photo.bytes.slice(), set)) {
      if (one.kind === 'made') files.set(`${one.width} ${one.type}`, one.made.bytes);
    }
    return files;
  };
  // Compiles the code of both.
  await asSet();
  const [one, other] = [await timed(calls, 3), await timed(asSet, 3)];
  const isEqual = ([name, bytes]: [string, Uint8Array]) =>
    Buffer.compare(bytes, other.result.get(name) ?? Buffer.of()) === 0;
  return {
    ...{ photo, formats, most },
    results: one.result.size,
    equal: [...one.result].filter(isEqual).length,
    calls: one.milliseconds,
    set: other.milliseconds,
  };
}

function cellsOf({ photo, formats, results, equal, calls, set, most }: Comparison): string[] {
  return [
    `${photo.name}, ${figure(photo.megapixels, 1)} MP, ${formats.join(' ')}`,
    ...[String(results), String(equal), figure(calls), figure(set), figure(set / calls, 2)],
    figure(most, 2),
  ];
}

function failuresOf(row: Comparison): string[] {
  const name = cellsOf(row)[0];
  return [
    ...(row.equal < row.results ? [`${name}: ${row.results - row.equal} results differ`] : []),
    ...(row.set > row.most * row.calls ? [`${name}: ${figure(row.set / row.calls, 2)}`] : []),
  ];
}

function timeTable(rows: readonly Comparison[]): Table {
  return {
    caption: `Results at ${widths.join(', ')} pixels`,
    columns: ['photo', 'results', 'equal', 'calls: CPU ms', 'set: CPU ms', 'share', 'at most'],
    rows: rows.map(cellsOf),
  };
}

interface MemoryRow {
  readonly results: number;
  readonly passes: number;
  /** Bytes. */
  readonly measured: number;
  readonly predicted: number;
  readonly status: number;
}

/** Sets of few and many results, by the widths and formats. */
const sizesOfSets: readonly { readonly widths: readonly number[]; readonly formats: Formats }[] = [
  { widths: [2000], formats: ['webp'] },
  { widths, formats: ['jpeg', 'webp', 'avif'] },
  {
    widths: Array.from({ length: 10 }, (_, i) => 200 * (i + 1)),
    formats: ['jpeg', 'webp', 'avif', 'png'],
  },
];

/** Memory of workerd while it makes sets. */
async function memoryOf(photo: Photo): Promise<readonly MemoryRow[]> {
  bundleWorker();
  const folder = await mkdtemp(join(tmpdir(), 'sets-'));
  const path = join(folder, 'photo.jpg');
  const smallPath = join(folder, 'small.jpg');
  await writeFile(path, photo.bytes);
  await writeFile(smallPath, await sharp(photo.bytes).resize(240).jpeg().toBuffer());
  try {
    return await inLanes(sizesOfSets, async (size, measure) => {
      const { passes, totalPeak } = planSet(photo.bytes, readSetOptions(size));
      const requests = [request(path, size)];
      const small = [request(smallPath, { ...size, widths: [32, 64] })];
      const reading = await measure({ requests, areParallel: false, small, tiny: small });
      return {
        results: size.widths.length * size.formats.length,
        passes: passes.length,
        measured: takenBytes(reading),
        predicted: totalPeak(photo.bytes.length),
        status: Math.max(...reading.statuses),
      };
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function request(
  path: string,
  { widths: all, formats }: (typeof sizesOfSets)[number],
): PictureRequest {
  return {
    path,
    search: `?widths=${all.join()}&formats=${formats.join()}`,
    asCalls: formats.map((format) => `?width=${all.at(-1)}&format=${format}`),
  };
}

function memoryCells({ results, passes, measured, predicted, status }: MemoryRow): string[] {
  return [
    `${results} results`,
    ...[String(passes), mebibytes(measured), mebibytes(predicted), String(status)],
  ];
}

function memoryFailures(row: MemoryRow): string[] {
  const isWithin = row.status === 200 && row.predicted <= memoryBudget;
  return isWithin ? [] : [`memory: ${memoryCells(row).join(', ')}`];
}

function memoryTable(rows: readonly MemoryRow[]): Table {
  return {
    caption: 'Memory of the running service',
    columns: ['set', 'passes', 'measured MiB', 'predicted MiB', 'status'],
    rows: rows.map(memoryCells),
  };
}

const text = `Several widths and formats of one photo: as calls one by one, and as a set, which reads the photo as few times
as memory allows. *Share* is that of the calls’ CPU time, of the process, in the median of three runs. *Equal* results have the
bytes of their call. Memory is measured as for single requests, in a service of its own for each row. It is resident memory at the
worst moment of all passes, with blocks of earlier passes that the allocator has not given back yet; what a pass holds is compared
with its plan in \`test/slow/sweeps/held-memory.test.ts\`.`;

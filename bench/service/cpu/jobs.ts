import { stillTypes } from '../../../test/support/inspections.ts';
import type { CorpusFile } from '../../harness/section.ts';
import { evenly } from '../../measures/figures.ts';
import type { Query } from '../memory/configurations.ts';

/** A request whose CPU time is measured. */
export interface CpuJob {
  /** For example, `ui/web.png → webp, width=800`. */
  readonly name: string;
  readonly query: Query;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

/** Number of pictures per folder, and of conversions per picture besides its own format. */
const usual = { pictures: 8, ways: 3 } as const;

const box = { width: '400', height: '600' } as const;

/** All other conversions of a picture. */
const ways: readonly Query[] = [
  { quality: 'lossless' },
  ...stillTypes.flatMap((format): Query[] => [{ format }, { format, width: '800' }]),
  ...stillTypes.map((format): Query => ({ format, quality: '50' })),
  { format: 'webp', quality: 'lossless' },
  { format: 'auto' },
  { ...box, fit: 'contain', format: 'webp', placeholder: 'thumbhash' },
  { ...box, fit: 'cover', position: 'auto' },
  { ...box, fit: 'outside', format: 'jpeg' },
  { placeholder: 'thumbhash' },
];

/**
 * Jobs for the corpus: each picture keeps its format, and goes through some of the other conversions in rotation, so
 * that every folder covers all of them.
 * @param isFull all pictures with all conversions
 */
export function corpusJobs(files: readonly CorpusFile[], isFull: boolean): CpuJob[] {
  const folders = Map.groupBy(files, ({ name }) => name.split('/').slice(0, -1).join('/'));
  const chosen = [...folders.values()].flatMap((all) =>
    isFull ? all : evenly(all, usual.pictures),
  );
  return chosen.flatMap(({ name, bytes }, i) => {
    const others = isFull ? ways : inTurn(ways, usual.ways * i, usual.ways);
    return [{}, ...others].map((query) => ({
      name: `${name} → ${nameOfQuery(query)}`,
      query: { ...query, background: '#ffffff' },
      read: async () => bytes,
    }));
  });
}

/** `count` items starting at `from`, wrapping around at the end. */
function inTurn<Item>(items: readonly Item[], from: number, count: number): Item[] {
  return Array.from({ length: count }, (_, i) => items[(from + i) % items.length]).filter(
    (item) => item !== undefined,
  );
}

function nameOfQuery({ format = 'keep', ...others }: Query): string {
  return [format, ...Object.entries(others).map(([name, value]) => `${name}=${value}`)].join(', ');
}

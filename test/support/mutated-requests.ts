import { below, chosen } from './mutation-chance.ts';
import { type Format, formats, mutationOriginals } from './mutation-originals.ts';
import { Random } from './random.ts';

/** One damaged file and how it is sent; the same for the same seed and index. */
export interface MutatedRequest {
  readonly index: number;
  readonly format: Format;
  /** What it was before, and what is asked for. */
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly options: Readonly<Record<string, string>>;
  readonly carrier: 'raw' | 'form' | 'url';
}

const wishes: readonly Readonly<Record<string, string>>[] = [
  {},
  { format: 'webp' },
  { format: 'avif', width: '24' },
  { width: '50' },
  { quality: 'lossless' },
  { metadata: 'all' },
  { metadata: 'copyright', format: 'auto' },
  { width: '40', height: '40', fit: 'cover' },
  { format: 'jpeg', background: '#ffffff', quality: '60' },
  { format: 'png' },
];

/** Gives the requests of a run, in any order; `isSound`: as they were before anything was changed. */
export async function mutatedRequests(
  seed: number,
): Promise<(index: number, isSound?: boolean) => MutatedRequest> {
  const kinds = await mutationOriginals();
  return (index, isSound = false) => {
    const random = new Random(Math.imul(seed, 1_000_003) + index);
    const format = formats[index % formats.length] ?? 'other';
    const { originals, mutated } = kinds[format];
    const original = chosen(originals, random);
    const options = chosen(wishes, random);
    if (!original || !options) throw new Error('nothing to choose from');
    const whole = Uint8Array.from(original.file);
    const file = isSound ? whole : mutated(whole, random);
    const share = below(20, random);
    return {
      ...{ index, format, file, options },
      name: `${format} ${original.name}, ${JSON.stringify(options)}`,
      carrier: share < 3 ? 'url' : share < 6 ? 'form' : 'raw',
    };
  };
}

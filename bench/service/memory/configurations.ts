import { automaticTypes, type OutputType } from '../../../src/image/formats/facts.ts';
import { stillTypes } from '../../../test/support/inspections.ts';

/** The kind of file that is sent. */
export type Kind =
  | 'JPEG'
  /** Coded at such a high quality that its size is limited by the maximum body size. */
  | 'detailed JPEG'
  | 'progressive JPEG'
  /** Lying on its side, with an orientation tag. */
  | 'turned JPEG'
  | 'PNG'
  | 'PNG, RGBA'
  | 'WebP'
  | 'lossless WebP'
  | 'AVIF';

/** The query of a request. */
export type Query = Readonly<Record<string, string>>;

/** A request whose memory is measured. */
export interface Configuration {
  readonly kind: Kind;
  readonly query: Query;
  /** `largest`: the largest size that the planner accepts for this kind. */
  readonly megapixels: number | 'largest';
}

const kinds: readonly Kind[] = ['JPEG', 'progressive JPEG', 'PNG', 'PNG, RGBA', 'WebP', 'AVIF'];
const ladder = [1, 4, 8, 12, 24, 48, 100];
const reduced = { width: '800' };
const square = { width: '2000', height: '2000' };

/** Whether a kind, once decoded and reduced, is coded like another one, so that it is reduced to fewer formats. */
function isDecodedAlike(kind: Kind): boolean {
  return kind === 'progressive JPEG' || kind === 'PNG, RGBA' || kind === 'AVIF';
}

/** Formats that hold any picture lossy, including alpha. */
const lossyOfAll: ReadonlySet<OutputType> = new Set(
  automaticTypes.filter((type) => stillTypes.includes(type)),
);

/**
 * The largest picture of every kind converted to each format, at its own size and reduced, and photos of typical sizes
 * with typical conversions.
 */
export function usualConfigurations(): Configuration[] {
  const [opaque, photos] = [{ background: '#ffffff' }, [1, 12, 24, 48] as const];
  return [
    ...photos.map((megapixels): Configuration => ({ kind: 'JPEG', query: {}, megapixels })),
    ...photos.slice(1).map((megapixels): Configuration => {
      return { kind: 'JPEG', query: { ...reduced, format: 'webp' }, megapixels };
    }),
    { kind: 'JPEG', query: { quality: 'lossless' }, megapixels: 12 },
    { kind: 'JPEG', query: { quality: 'lossless' }, megapixels: 'largest' },
    { kind: 'JPEG', query: { format: 'auto' }, megapixels: 'largest' },
    { kind: 'JPEG', query: { ...reduced, format: 'auto' }, megapixels: 12 },
    { kind: 'JPEG', query: { metadata: 'all' }, megapixels: 12 },
    ...(['JPEG', 'PNG'] as const).flatMap((kind): Configuration[] => [
      {
        kind,
        query: { ...square, fit: 'contain', placeholder: 'thumbhash' },
        megapixels: 'largest',
      },
      { kind, query: { ...square, fit: 'cover', position: 'auto' }, megapixels: 'largest' },
    ]),
    { kind: 'JPEG', query: { ...square, fit: 'contain', format: 'avif' }, megapixels: 1 },
    { kind: 'JPEG', query: { format: 'jxl' }, megapixels: 12 },
    { kind: 'JPEG', query: { ...reduced, format: 'jxl' }, megapixels: 12 },
    ...(['JPEG', 'progressive JPEG'] as const).flatMap((kind): Configuration[] => [
      { kind, query: { format: 'jxl' }, megapixels: 'largest' },
      { kind, query: { format: 'jxl', quality: 'lossless' }, megapixels: 'largest' },
    ]),
    { kind: 'detailed JPEG', query: {}, megapixels: 'largest' },
    { kind: 'detailed JPEG', query: { quality: 'lossless' }, megapixels: 'largest' },
    { kind: 'progressive JPEG', query: {}, megapixels: 12 },
    { kind: 'progressive JPEG', query: { quality: 'lossless' }, megapixels: 'largest' },
    { kind: 'PNG', query: {}, megapixels: 1 },
    { kind: 'WebP', query: { quality: 'lossless' }, megapixels: 'largest' },
    ...flowingConfigurations(),
    ...kinds.flatMap((kind) =>
      stillTypes.flatMap((format): Configuration[] => {
        const query = { format, ...(kind === 'PNG, RGBA' && format === 'jpeg' && opaque) };
        const own: Configuration = { kind, query, megapixels: 'largest' };
        const small: Configuration = { ...own, query: { ...query, ...reduced } };
        return isDecodedAlike(kind) && !lossyOfAll.has(format) ? [own] : [own, small];
      }),
    ),
  ];
}

/**
 * Pictures whose pixels do not fit into memory, so that rows have to be streamed: converted to another format, or
 * slightly reduced.
 */
export function flowingConfigurations(): Configuration[] {
  const [toJpeg, toPng, toWebp] = [{ format: 'jpeg' }, { format: 'png' }, { format: 'webp' }];
  return [
    ...[12, 24, 48].map((megapixels): Configuration => {
      return { kind: 'JPEG', query: toWebp, megapixels };
    }),
    { kind: 'JPEG', query: { ...toWebp, quality: '90' }, megapixels: 12 },
    { kind: 'JPEG', query: { ...toWebp, quality: 'lossless' }, megapixels: 12 },
    { kind: 'progressive JPEG', query: toWebp, megapixels: 24 },
    { kind: 'turned JPEG', query: toWebp, megapixels: 12 },
    { kind: 'PNG, RGBA', query: toWebp, megapixels: 12 },
    { kind: 'JPEG', query: toPng, megapixels: 12 },
    { kind: 'JPEG', query: toPng, megapixels: 24 },
    { kind: 'progressive JPEG', query: toPng, megapixels: 24 },
    { kind: 'progressive JPEG', query: { ...toJpeg, width: '4800' }, megapixels: 24 },
    { kind: 'turned JPEG', query: toPng, megapixels: 12 },
    { kind: 'PNG', query: toJpeg, megapixels: 16 },
    ...(['WebP', 'lossless WebP'] as const).flatMap((kind) =>
      [12, 24].flatMap((megapixels) =>
        [toJpeg, toPng].map((query): Configuration => ({ kind, query, megapixels })),
      ),
    ),
  ];
}

/** Every kind at every size to every format, for a complete run. */
export function allConfigurations(): Configuration[] {
  const steps = kinds.flatMap((kind) =>
    stillTypes.flatMap((format) =>
      [{}, reduced].flatMap((size) =>
        ladder.map((megapixels): Configuration => {
          const isOpaque = kind !== 'PNG, RGBA' || format !== 'jpeg';
          const background = isOpaque ? {} : { background: '#ffffff' };
          return { kind, query: { format, ...size, ...background }, megapixels };
        }),
      ),
    ),
  );
  const keyOf = (one: Configuration) => `${nameOf(one)} ${one.megapixels}`;
  const unique = new Map([...usualConfigurations(), ...steps].map((one) => [keyOf(one), one]));
  return [...unique.values()];
}

/** Requests sent to one service. */
export interface RequestGroup {
  readonly areParallel: boolean;
  readonly requests: readonly Configuration[];
}

/**
 * Combinations in which a request is affected by others: an arena that has grown, memory kept by the allocator, or
 * bodies of other requests.
 */
export function requestGroups(): readonly RequestGroup[] {
  const filling: Configuration = {
    kind: 'detailed JPEG',
    query: { quality: 'lossless' },
    megapixels: 'largest',
  };
  const half: Configuration = { kind: 'JPEG', query: {}, megapixels: 'largest' };
  const growing: Configuration = { kind: 'WebP', query: { format: 'webp' }, megapixels: 'largest' };
  const kept: Configuration = { kind: 'JPEG', query: {}, megapixels: 12 };
  const small: Configuration = {
    kind: 'JPEG',
    query: { ...reduced, format: 'webp' },
    megapixels: 24,
  };
  const mixed: readonly Configuration[] = [
    kept,
    { kind: 'PNG', query: {}, megapixels: 1 },
    { kind: 'WebP', query: {}, megapixels: 2 },
    { kind: 'JPEG', query: { format: 'avif' }, megapixels: 1 },
  ];
  return [
    { areParallel: false, requests: [filling, filling] },
    { areParallel: false, requests: [growing, filling] },
    { areParallel: true, requests: Array.from({ length: 4 }, () => kept) },
    { areParallel: true, requests: Array.from({ length: 4 }, () => small) },
    { areParallel: true, requests: Array.from({ length: 4 }, () => half) },
    { areParallel: true, requests: mixed },
  ];
}

/** For example, `4 at once: 2 × JPEG → keep; PNG → keep`. */
export function nameOfGroup({ areParallel, requests }: RequestGroup): string {
  const counts = new Map<string, number>();
  for (const name of requests.map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
  return `${requests.length} ${areParallel ? 'at once' : 'in turn'}: ${names.join('; ')}`;
}

/** The name of a row in the table: `JPEG → webp, 800 px`. */
export function nameOf({ kind, query }: Configuration): string {
  const { format, width, background: _, ...others } = query;
  const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  const parts = [format ?? 'keep', ...(width ? [`${width} px`] : []), ...rest];
  return `${kind} → ${parts.join(', ')}`;
}

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A folder of real images, named by the environment; tests over it are skipped without one. */
export const corpus = process.env.CORPUS ?? '';
export const hasCorpus = corpus !== '' && existsSync(corpus);

/** A file of it that browsers read; libwebp’s demuxer wants the length of the container to be right. */
export const unreadInSharp = 'field/w-riffbig.webp';

/** A file of it whose tRNS has more entries than its palette: browsers apply it, and libpng ignores it. */
export const opaqueInSharp = 'field/p-pal-trnslong.png';

/** With names of `/`. */
export function corpusSamples(): Sample[] {
  if (!hasCorpus) return [];
  return readdirSync(corpus)
    .filter((folder) => statSync(join(corpus, folder)).isDirectory())
    .flatMap((folder) => readdirSync(join(corpus, folder)).map((file) => join(folder, file)))
    .map((name) => ({
      name: name.replaceAll('\\', '/'),
      bytes: readFileSync(join(corpus, name)),
    }));
}

/** One small file of every kind that sharp writes, with profile and orientation. */
export function generatedSamples(): Promise<Sample[]> {
  const raster = Uint8Array.from({ length: 24 * 16 * 4 }, (_, i) => (i * 37) & 255);
  const make = () =>
    sharp(raster, { raw: { width: 24, height: 16, channels: 4 } })
      .withIccProfile('p3')
      .withMetadata({ orientation: 6 });
  const kinds = {
    'baseline.jpg': make().flatten().jpeg(),
    'progressive.jpg': make().flatten().jpeg({ progressive: true }),
    'colour.png': make().png(),
    'palette.png': make().png({ palette: true }),
    'lossy.webp': make().webp(),
    'lossless.webp': make().webp({ lossless: true }),
    'alpha.avif': make().avif({ effort: 0 }),
  };
  return Promise.all(
    Object.entries(kinds).map(async ([name, image]) => ({ name, bytes: await image.toBuffer() })),
  );
}

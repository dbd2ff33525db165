import sharp, { type Sharp } from 'sharp';
import type { Corpus } from '../../harness/section.ts';
import type { Query } from '../memory/configurations.ts';
import { bytesOf, type SourcePictures } from '../memory/source-pictures.ts';

/** What becomes of a picture, for the plot. */
export type Way = 'JPEG kept' | 'JPEG to 800 px' | 'JPEG to WebP, AVIF' | 'PNG kept';

/** A request as it is often made. */
export interface Job {
  readonly name: string;
  readonly way: Way;
  readonly file: Uint8Array<ArrayBuffer>;
  readonly query: Query;
  /** Whether sharp is told a quality: with PNG it chooses itself. */
  readonly takesQuality: boolean;
  /** The same by sharp. */
  bySharp(quality: number): Sharp;
}

const width = 800;

/** libaom at the speed that the service has it: sharp's effort is nine less speed. */
const avifEffort = 3;

export async function typicalJobs(corpus: Corpus, pictures: SourcePictures): Promise<Job[]> {
  const photo = async (megapixels: number) =>
    bytesOf(await pictures.make('JPEG', megapixels * 1e6));
  const [one, four, twelve, large] = await Promise.all([1, 4, 12, 24].map(photo));
  const png = await bytesOf(await pictures.make('PNG', 1e6));
  const [graphic] = corpus.graphics;
  if (!one || !four || !twelve || !large || !graphic) throw new Error('a picture is missing');
  const tiny = new Uint8Array(await sharp(one).resize(64, 64).jpeg({ quality: 90 }).toBuffer());
  return [
    kept('JPEG 64 × 64', tiny),
    kept('JPEG 1 MP', one),
    kept('JPEG 4 MP', four),
    kept('JPEG 12 MP', twelve),
    kept('JPEG 24 MP', large),
    ...(['jpeg', 'webp', 'avif'] as const).map((format) => reduced('JPEG 12 MP', twelve, format)),
    ...(['webp', 'avif'] as const).map((format) => remade('JPEG 1 MP', one, format)),
    keptPng(`PNG, ${graphic.name}`, graphic.bytes),
    keptPng('PNG, photo 1 MP', png),
  ];
}

function kept(name: string, file: Uint8Array<ArrayBuffer>): Job {
  const bySharp = (quality: number) => sharp(file).jpeg({ quality, mozjpeg: true });
  return { name: `${name}, kept`, way: 'JPEG kept', file, query: {}, takesQuality: true, bySharp };
}

function keptPng(name: string, file: Uint8Array<ArrayBuffer>): Job {
  const bySharp = () => sharp(file).png({ palette: true, effort: 7, compressionLevel: 9 });
  return { name: `${name}, kept`, way: 'PNG kept', file, query: {}, takesQuality: false, bySharp };
}

function reduced(
  name: string,
  file: Uint8Array<ArrayBuffer>,
  format: 'jpeg' | 'webp' | 'avif',
): Job {
  return {
    name: `${name} → ${format}, ${width} px`,
    way: 'JPEG to 800 px',
    file,
    query: { format, width: String(width) },
    takesQuality: true,
    bySharp: (quality) => coded(sharp(file).resize({ width }), format, quality),
  };
}

function remade(name: string, file: Uint8Array<ArrayBuffer>, format: 'webp' | 'avif'): Job {
  return {
    name: `${name} → ${format}`,
    way: 'JPEG to WebP, AVIF',
    file,
    query: { format },
    takesQuality: true,
    bySharp: (quality) => coded(sharp(file), format, quality),
  };
}

function coded(picture: Sharp, format: 'jpeg' | 'webp' | 'avif', quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      return picture.jpeg({ quality, mozjpeg: true });
    case 'webp':
      return picture.webp({ quality });
    case 'avif':
      return picture.avif({ quality, effort: avifEffort });
  }
}

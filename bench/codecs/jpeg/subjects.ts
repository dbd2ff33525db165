import sharp from 'sharp';
import type { CorpusFile } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness-of-files.ts';
import type { Subject } from '../../measures/rate-curves.ts';

type Jpeg = Subject<Uint8Array<ArrayBuffer>>;

/** Of the part that curves are drawn for, in whole MCUs of any sampling, so that blocks stay in place. */
const [longSide, shortSide, unit] = [832, 624, 16];
/** Nearly nothing is lost with it, and what a camera has pressed stays as it is. */
const fine = 95;

/** The middle of a camera photo as a JPEG of its own, since scoring all of it would take minutes. */
export async function middleOf({ bytes }: CorpusFile): Promise<Jpeg> {
  const { width, height, chromaSubsampling = '4:2:0' } = await sharp(bytes).metadata();
  const [across, down] = width > height ? [longSide, shortSide] : [shortSide, longSide];
  const cut = {
    left: middle(width, across),
    top: middle(height, down),
    width: Math.min(width, across),
    height: Math.min(height, down),
  };
  const sampling = chromaSubsampling === '4:4:4' ? '4:4:4' : '4:2:0';
  const coded = sharp(bytes).extract(cut).jpeg({ quality: fine, chromaSubsampling: sampling });
  return subject(await coded.toBuffer());
}

/** A photo without loss as a JPEG that looks the same. */
export async function fineJpegOf({ bytes }: CorpusFile): Promise<Jpeg> {
  return subject(await sharp(bytes).jpeg({ quality: fine }).toBuffer());
}

async function subject(file: Uint8Array): Promise<Jpeg> {
  return { input: new Uint8Array(file), raster: await decoded(file) };
}

function middle(length: number, wanted: number): number {
  return unit * Math.max(0, Math.floor((length - wanted) / 2 / unit));
}

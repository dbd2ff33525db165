import sharp from 'sharp';
import type { ImageType } from '../../src/image/formats/facts.ts';
import { encodersFor } from '../../src/image/pipeline/conversion.ts';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { CodecError } from '../../src/image/wasm/codec.ts';
import { bareFile } from '../../test/support/rows.ts';
import type { CorpusFile, Part, Section } from '../harness/section.ts';
import { decoded } from '../likeness/likeness.ts';
import { evenly } from '../measures/figures.ts';
import {
  type Coder,
  equalScoreTable,
  rateCurvePlot,
  rateCurves,
  type Subject,
} from '../measures/rate-curves.ts';

interface EncoderPart {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  readonly mostPhotos: number;
  /** Ours first; peers that are not installed are left out. */
  readonly coders: () => readonly Coder<Photo>[];
}

/** From the pixels of exact photos to a lossy format, at several qualities. */
export function encoderPart({ name, title, text, mostPhotos, coders }: EncoderPart): Part {
  return {
    name,
    async measure({ corpus, say }): Promise<Section> {
      const photos = evenly(corpus.exactPhotos, mostPhotos);
      const all = coders();
      const { results: curves, failures } = await rateCurves(all, photos, encoderSubject, say);
      const [ours = '', ...peers] = all.map((coder) => coder.name);
      const count = `${curves.length} of ${corpus.exactPhotos.length} exact photos`;
      const caption = `Bytes at equal SSIMULACRA2, ${count}: medians of the ratios`;
      return {
        title,
        text,
        tables: [equalScoreTable(caption, curves, ours, peers)],
        plots: [
          rateCurvePlot({ name: `${name}-bytes`, title: `Photos to ${title}` }, curves, [
            ours,
            ...peers,
          ]),
        ],
        failures,
      };
    },
  };
}

/** The same picture in the ways that encoders take it. */
export interface Photo {
  readonly raster: Raster;
  /** For native programs: packed as little as can be, so that reading it costs next to nothing. */
  readonly png: Uint8Array;
}

async function encoderSubject({ bytes }: CorpusFile): Promise<Subject<Photo>> {
  const raster = await decoded(bytes);
  const png = await sharp(bytes, { ignoreIcc: true })
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer();
  return { raster, input: { raster, png } };
}

/** The pixels for sharp. */
export function asSharp({ raster: { width, height, data } }: Photo) {
  return sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha();
}

/**
 * An opaque sRGB raster coded as the service does it: its settings, within the memory that it has, and
 * in cells where the whole does not fit there.
 *
 * @throws RangeError where no way fits
 */
export function codedByService(
  raster: Raster,
  type: ImageType,
  quality: number,
): Uint8Array<ArrayBuffer> {
  const { width, height } = raster;
  const coding = { type, quality, exact: false, icc: null, grey: false };
  for (const encoder of encodersFor({ width, height, hasAlpha: false }, coding)) {
    arena.reserve(encoder.arenaBytes);
    try {
      return bareFile(encoder, raster);
    } catch (error) {
      if (!(error instanceof CodecError && error.exhausted)) throw error;
    }
  }
  throw new RangeError('no way to code it within the memory of the service');
}

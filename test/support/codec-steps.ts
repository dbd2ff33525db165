import type { AvifInspection } from '../../src/image/formats/avif/inspect.ts';
import type { RowDecoder } from '../../src/image/formats/coding.ts';
import type { Quality } from '../../src/image/formats/inspection.ts';
import type { JpegSettings } from '../../src/image/formats/jpeg/sampling.ts';
import { inspect, type SourceImage } from '../../src/image/formats/registry.ts';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { gathered } from '../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import type { AvifWishes } from './avif-encoder.ts';
import type { Encoder, WebpSettings } from './rows.ts';

/** One run of one codec, as data that can be sent to other processes. */
export type Step =
  | { readonly name: DecodeStep; readonly file: Uint8Array }
  | { readonly name: 'jpeg-recode'; readonly file: Uint8Array; readonly settings: Quality }
  | { readonly name: 'jpeg-encode'; readonly picture: Picture; readonly settings: JpegSettings }
  | { readonly name: 'webp-encode'; readonly picture: Picture; readonly settings: WebpSettings }
  | { readonly name: 'avif-encode'; readonly picture: Picture; readonly settings: AvifWishes };

export type DecodeStep = 'avif-decode';

export interface Picture extends Raster {
  /** Whether some pixels are not opaque. */
  readonly hasAlpha: boolean;
}

export interface PreparedStep {
  /** Arena size that the codec declares. */
  readonly predicted: number;
  run(): Uint8Array | Uint8ClampedArray;
}

/** Loads the codec of a step. Each is imported only when needed: compiling all of them takes longer than most runs. */
export async function prepare(step: Step): Promise<PreparedStep> {
  switch (step.name) {
    case 'jpeg-recode':
      return recoding(step.file, step.settings);
    case 'avif-decode':
      return decoding(
        (await import('../../src/image/formats/avif/codec/row-decoder.ts')).avifRowDecoder,
        step.file,
      );
    case 'jpeg-encode':
      return encoding((await import('./rows.ts')).jpegEncoder, step);
    case 'webp-encode':
      return encoding((await import('./rows.ts')).webpEncoder, step);
    case 'avif-encode':
      return encoding((await import('./avif-encoder.ts')).avifEncoder, step);
  }
}

function decoding(decoder: RowDecoder<AvifInspection>, file: Uint8Array): PreparedStep {
  const image = inspected(file);
  if (image.type !== 'avif') throw new Error('only AVIFs are decoded by a codec');
  const how = { halvings: 0, deepSamples: null } as const;
  return {
    predicted: decoder.arenaBytes(image, file.length),
    run: () => runAtOnce(decoder.open(file, image, how, arena, gathered)).data,
  };
}

/** The first method of re-encoding a JPEG, in one go. */
async function recoding(bytes: Uint8Array, quality: Quality): Promise<PreparedStep> {
  const { runJpegKernel } = await import('../../src/image/formats/jpeg/kernel.ts');
  const { jpegRecodingBytes } = await import('../../src/image/formats/jpeg/memory.ts');
  const { codeCandidate } = await import('../../src/image/formats/jpeg/recode.ts');
  const { coefficientCandidates } = await import('../../src/image/formats/jpeg/recode.ts');
  const { scansOf } = await import('../../src/image/formats/jpeg/scan-list.ts');
  const file = Uint8Array.from(bytes);
  const image = inspected(file);
  if (image.type !== 'jpeg') throw new Error('only JPEGs are coded anew');
  const list = scansOf(file, image);
  const head = Uint8Array.of(0xff, 0xd8);
  return {
    predicted: jpegRecodingBytes(image, file.length, quality),
    run: () => {
      const { value: candidate } = coefficientCandidates(image, list, quality).next();
      if (!candidate) throw new Error('no candidate to code it');
      const recoding = { ...candidate, head, maxBytes: file.length, mayStream: false };
      const work = runJpegKernel(file, function* (kernel) {
        const recoded = yield* codeCandidate(kernel, image, list, recoding);
        if (recoded.kind !== 'coded') throw new Error(recoded.kind);
        return recoded.bytes.slice();
      });
      return runAtOnce(work);
    },
  };
}

function encoding<Settings>(
  encoder: Encoder<Settings>,
  { picture, settings }: { readonly picture: Picture; readonly settings: Settings },
): PreparedStep {
  return {
    predicted: encoder.arenaBytes(picture, settings),
    run: () => encoder.encode(picture, settings),
  };
}

function inspected(file: Uint8Array): SourceImage {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error(`not an image to decode: ${result.kind}`);
  return result.image;
}

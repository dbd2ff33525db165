import type { AvifSettings } from '../../src/image/codecs/avif.ts';
import type { Decoder, Encoder } from '../../src/image/codecs/codec.ts';
import type { JpegSettings } from '../../src/image/codecs/jpeg-settings.ts';
import type { OxipngSettings } from '../../src/image/codecs/oxipng.ts';
import type { WebpSettings } from '../../src/image/codecs/webp.ts';
import { inspect } from '../../src/image/inspect/inspect.ts';
import type { Inspection } from '../../src/image/inspect/inspection.ts';
import type { Raster } from '../../src/image/raster.ts';

/** One run of one codec, as data: it travels into processes of its own. */
export type Step =
  | { readonly name: DecodeStep; readonly file: Uint8Array }
  | { readonly name: 'oxipng'; readonly file: Uint8Array; readonly settings: OxipngSettings }
  | { readonly name: 'jpeg-encode'; readonly picture: Picture; readonly settings: JpegSettings }
  | { readonly name: 'webp-encode'; readonly picture: Picture; readonly settings: WebpSettings }
  | { readonly name: 'avif-encode'; readonly picture: Picture; readonly settings: AvifSettings }
  | { readonly name: 'png-encode'; readonly picture: Picture; readonly settings: null };

export type DecodeStep = 'jpeg-decode' | 'webp-decode' | 'avif-decode';

export interface Picture extends Raster {
  /** Not every pixel is opaque. */
  readonly hasAlpha: boolean;
}

export interface PreparedStep {
  /** The arena that the codec says it needs. */
  readonly predicted: number;
  run(): Uint8Array | Uint8ClampedArray;
}

/**
 * Looks a step's codec up. Each is imported only when it is its turn: compiling
 * all of them costs more than most runs.
 */
export async function prepare(step: Step): Promise<PreparedStep> {
  switch (step.name) {
    case 'jpeg-decode':
      return decoding((await import('../../src/image/codecs/jpeg.ts')).jpegDecoder, step.file);
    case 'webp-decode':
      return decoding((await import('../../src/image/codecs/webp.ts')).webpDecoder, step.file);
    case 'avif-decode':
      return decoding((await import('../../src/image/codecs/avif.ts')).avifDecoder, step.file);
    case 'jpeg-encode':
      return encoding((await import('../../src/image/codecs/jpeg.ts')).jpegEncoder, step);
    case 'webp-encode':
      return encoding((await import('../../src/image/codecs/webp.ts')).webpEncoder, step);
    case 'avif-encode':
      return encoding((await import('../../src/image/codecs/avif.ts')).avifEncoder, step);
    case 'png-encode':
      return encoding((await import('../../src/image/codecs/png.ts')).pngEncoder, step);
    case 'oxipng': {
      const { oxipng } = await import('../../src/image/codecs/oxipng.ts');
      const image = inspected(step.file);
      if (image.type !== 'png') throw new Error('oxipng takes PNG files');
      return {
        predicted: oxipng.arenaBytes(image, image),
        run: () => oxipng.optimise(step.file, step.settings),
      };
    }
  }
}

function decoding(decoder: Decoder, file: Uint8Array): PreparedStep {
  const image = inspected(file);
  return {
    predicted: decoder.arenaBytes(image, file.length),
    run: () => decoder.decode(file, image, ({ data }) => data.slice()),
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

function inspected(file: Uint8Array): Inspection {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error(`not an image to decode: ${result.kind}`);
  return result.image;
}

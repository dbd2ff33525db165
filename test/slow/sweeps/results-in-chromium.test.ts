import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { ImageError } from '../../../src/image/engine.ts';
import type { ImageType } from '../../../src/image/formats/facts.ts';
import { inspect, placementOf } from '../../../src/image/formats/registry.ts';
import type { OptimizeOptions } from '../../../src/image/pipeline/options.ts';
import { decodedFile } from '../../../src/image/pipeline/target/trials.ts';
import { turnInPlace } from '../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { DecoderPage } from '../../support/decoder-page.ts';
import { answerTo } from '../../support/engine.ts';
import { isFull } from '../../support/full.ts';
import { emptyProfile, withJpegProfile } from '../../support/icc.ts';
import { sample } from '../../support/pictures.ts';
import { corpusSamples, hasCorpus, type Sample } from '../../unit/image/formats/samples.ts';

const formats = ['keep', 'jpeg', 'png', 'webp', 'avif', 'gif'] as const;

/** Whole numbers of blocks, and one pixel more; null: its own. */
const widths = isFull ? [null, 113, 112, 64, 16] : [null, 113, 16];

/** Root mean square difference in levels, of how two decoders interpolate chroma and round. */
const maxDifference = 2;

/** What our AVIF decoder holds as a whole raster in any case. */
const maxComparedPixels = 2_000_000;

describe.skipIf(findChromium() === null)('what pictures become', { timeout: 3_600_000 }, () => {
  let chromium: DecoderPage;
  beforeAll(async () => {
    chromium = await DecoderPage.open();
  });
  afterAll(() => chromium?.close());

  /** What is wrong with the result for these options in Chromium; null if nothing, or if there is none. */
  async function faultOf(
    { bytes }: Sample,
    wanted: Partial<OptimizeOptions>,
  ): Promise<string | null> {
    const made = resultOf(bytes, wanted);
    if (!made) return null;
    const { type, bytes: result } = made;
    const read = inspect(result);
    if (read.kind !== 'image') return `it cannot be read: ${JSON.stringify(read)}`;
    const { frames } = read.image;
    const expected = frames > 1 ? null : uprightRaster(result);
    if (expected && type === 'avif') asChromiumShowsAlpha(expected);
    const shown = await chromium.shown(result, type, expected);
    if (shown.frames !== frames) return `${type} of ${frames} frames: ${shown.frames}`;
    if (!expected) return null;
    const isNear = shown.difference <= maxDifference;
    const size = `${shown.width} × ${shown.height}`;
    return isNear ? null : `${type} of ${size} is ${shown.difference.toFixed(2)} away`;
  }

  it('is shown by Chromium, with the pixels that our decoders find', async () => {
    const faults: string[] = [];
    for (const one of await samples()) {
      for (const format of formats) {
        for (const width of widths) {
          const fault = await faultOf(one, { format, width });
          if (fault) faults.push(`${one.name}, ${format}, width ${width ?? 'kept'}: ${fault}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

/** Own pictures of each kind; at length, also all of the corpus. */
async function samples(): Promise<readonly Sample[]> {
  if (hasCorpus && isFull) return corpusSamples();
  const photo = await sample('photo.jpg');
  const small = () => sharp(photo).resize(120, 90);
  const made = {
    'turned.jpg': small().withMetadata({ orientation: 6 }).jpeg({ quality: 90 }),
    'logo.png': sharp(await sample('logo.png')).resize(120),
    'scan.png': small().greyscale().threshold(110).png({ palette: true, colours: 2 }),
    'photo.gif': small().gif(),
  };
  const plain = await Promise.all(
    Object.entries(made).map(async ([name, image]) => ({ name, bytes: await image.toBuffer() })),
  );
  const jpeg = await small().jpeg().toBuffer();
  const odd = { name: 'odd profile', bytes: withJpegProfile(jpeg, emptyProfile('RGB ')) };
  return [...plain, odd];
}

/** The result; null if the options are refused for this picture. */
function resultOf(
  bytes: Uint8Array,
  wanted: Partial<OptimizeOptions>,
): { readonly type: ImageType; readonly bytes: Uint8Array<ArrayBuffer> } | null {
  const made = answerTo(bytes, wanted);
  return made instanceof ImageError ? null : made;
}

/**
 * Chromium 156 takes the alpha of any AVIF for limited range, even of one that states full range, as all of them have
 * to (AV1 Image File Format 1.1 §4).
 */
function asChromiumShowsAlpha({ data }: Raster): void {
  for (let at = 3; at < data.length; at += 4) data[at] = (((data[at] ?? 0) - 16) * 255) / 219;
}

/** The pixels that our decoder finds, turned as they are shown; null where that is not all there is to a picture. */
function uprightRaster(file: Uint8Array<ArrayBuffer>): Raster | null {
  const read = inspect(file);
  if (read.kind !== 'image') return null;
  const { region, turn: stated } = placementOf(read.image);
  // Chromium 156 ignores the EXIF orientation of a WebP.
  const turn = read.image.type === 'webp' ? 1 : stated;
  const isLarge = read.image.width * read.image.height > maxComparedPixels;
  // Inks, which are kept as they are, become colors only by a profile.
  const isInk = read.image.type === 'jpeg' && /cmyk|ycck/.test(read.image.colorSpace);
  return region || isLarge || isInk ? null : turnInPlace(runAtOnce(decodedFile(file)), turn);
}

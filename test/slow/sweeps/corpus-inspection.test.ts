import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect, type SourceImage, uprightSize } from '../../../src/image/formats/registry.ts';
import {
  corpusSamples,
  hasCorpus,
  opaqueInSharp,
  unreadInSharp,
} from '../../unit/image/formats/samples.ts';

/** sharp reads these; our engines do not. */
const unreadable: Readonly<Record<string, string>> = {
  'jpeg-odd/testimgari.jpg': 'unsupported-feature',
  'jpeg-odd/testorig12.jpg': 'unsupported-feature',
};

/** sharp reads on after a wrong checksum of the header; decoding such a file fails there too. */
const laxInSharp = ['pngsuite/xhdn0g08.png'];

function pagesAreFrames({ type }: SourceImage): boolean {
  return type === 'webp' || type === 'gif';
}

/** sharp counts the tiles of a grid as pages, and does not see that a PNG is animated. */
function comparableFrames(image: SourceImage): number {
  return pagesAreFrames(image) ? image.frames : 1;
}

describe.skipIf(!hasCorpus)('every image of the corpus', () => {
  it.each(corpusSamples())('$name is what sharp says it is', async ({ name, bytes }) => {
    const result = inspect(bytes);
    const metadata = await sharp(bytes)
      .metadata()
      .catch(() => undefined);
    if (result.kind !== 'image') {
      if (metadata && !laxInSharp.includes(name)) {
        expect(result.kind).toBe(unreadable[name]);
      }
      return;
    }
    if (name === unreadInSharp) {
      expect(metadata).toBeUndefined();
      return;
    }
    const { image } = result;
    const upright = uprightSize(image);
    const isMoreThanInSharp = (image.type === 'gif' && image.hasAlpha) || name === opaqueInSharp;
    const joined = image.icc.map(({ offset, length }) => bytes.subarray(offset, offset + length));
    expect({
      type: image.type,
      ...upright,
      alpha: image.hasAlpha,
      orientation: image.orientation,
      depth: image.bitDepth,
      frames: comparableFrames(image),
      grey: image.isGrey,
    }).toEqual({
      type: metadata?.format === 'heif' ? 'avif' : metadata?.format,
      ...metadata?.autoOrient,
      // what becomes of frames may leave a GIF transparent, which sharp does not look at
      alpha: isMoreThanInSharp ? true : metadata?.hasAlpha,
      orientation: metadata?.orientation ?? 1,
      // sharp tells bits per sample only where a file may differ from 8.
      depth: image.type === 'gif' ? 8 : (metadata?.bitsPerSample ?? 8),
      frames: pagesAreFrames(image) ? (metadata?.pages ?? 1) : 1,
      grey: metadata?.space === 'b-w' || metadata?.space === 'grey16',
    });
    if (image.type === 'png') {
      expect(image.interlaced).toBe(metadata?.isProgressive);
      expect(image.colorType === 3).toBe(metadata?.isPalette);
      expect(image.icc.length > 0).toBe(metadata?.hasProfile);
    } else {
      expect(Buffer.concat(joined)).toEqual(metadata?.icc ?? Buffer.alloc(0));
    }
    if (image.type === 'jpeg')
      expect(image.process === 'progressive').toBe(metadata?.isProgressive);
  });
});

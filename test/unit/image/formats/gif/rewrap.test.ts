import { describe, expect, it } from 'vitest';
import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import { gifPlays } from '../../../../../src/image/formats/gif/reader.ts';
import { readGifMetadata, rewrapGif } from '../../../../../src/image/formats/gif/rewrap.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { extension, madeGif } from '../../../../support/gif-maker/gif-maker.ts';
import { framesOf, inspection, shownFrames } from './reading.ts';

const xmp = new TextEncoder().encode(`<x:xmpmeta>${'é and more '.repeat(70)}</x:xmpmeta>`);
const comment = extension(0xfe, 'a comment');
const frame = { width: 2, height: 1, indices: [1, 0], minCodeSize: 2 };
const frames = [
  { ...frame, control: { delay: 5, disposal: 2, transparent: 0 } },
  { ...frame, control: { delay: 9 } },
];
const globalTable = [1, 2, 3, 4, 5, 6];

function made(hasTrailer = true): Uint8Array {
  const blocks = [comment, extension(0x01, [0, 0], 'text'), extension(0xff, 'UNKNOWN1234', 'x')];
  return madeGif({ width: 2, height: 1, globalTable, frames, loops: 3, blocks, hasTrailer });
}

function rewrapped(file: Uint8Array, block: Uint8Array | null): Uint8Array {
  const metadata = { ...noMetadata, xmp: block };
  return rewrapGif(inspection(file), file, { icc: null, metadata });
}

describe('a GIF around the same frames', () => {
  it('keeps frames, delays and loops, and nothing else', () => {
    const bare = madeGif({ width: 2, height: 1, globalTable, frames, loops: 3 });
    expect(Buffer.from(rewrapped(made(), null)).equals(bare)).toBe(true);
  });

  it('is no longer than it was, with or without a trailer', () => {
    for (const hasTrailer of [false, true]) {
      const bare = madeGif({ width: 2, height: 1, globalTable, frames, hasTrailer });
      expect(Buffer.from(rewrapped(bare, null)).equals(bare)).toBe(true);
    }
  });

  it('carries an XMP packet that can be read again, and taken out again', () => {
    const file = rewrapped(made(), xmp);
    expect(Buffer.from(readGifMetadata(file).xmp ?? []).equals(xmp)).toBe(true);
    expect(shownFrames(file)).toEqual(shownFrames(made()));
    expect(framesOf(file).map(({ duration }) => duration.ticks)).toEqual([5, 9]);
    expect(gifPlays(viewOf(file))).toBe(4);
    expect(rewrapped(file, null)).toEqual(rewrapped(made(), null));
  });

  it('keeps comments where all metadata are to stay, and no other blocks', () => {
    const keeping = { icc: null, metadata: noMetadata, commentsOf: made() };
    const file = rewrapGif(inspection(made()), made(), keeping);
    const bare = madeGif({ width: 2, height: 1, globalTable, frames, loops: 3, blocks: [comment] });
    expect(Buffer.from(file).equals(bare)).toBe(true);
  });

  it('carries no packet that would end early', () => {
    expect(rewrapped(made(), Uint8Array.of(60, 0, 62))).toEqual(rewrapped(made(), null));
  });
});

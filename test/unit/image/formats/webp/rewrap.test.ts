import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { displayP3Profile } from '../../../../support/icc.ts';
import { decoded } from '../../../../support/pictures.ts';
import { blocks } from '../blocks.ts';
import { bytes, exif, inspected, le24, le32 } from '../byte-writing.ts';
import {
  animation,
  height,
  metadataKinds,
  metadataOf,
  picture,
  profileOf,
  rewrapped,
  width,
  withMetadata,
} from '../pictures.ts';

const chunk = (type: string, content: Uint8Array) =>
  bytes(type, le32(content.length), content, new Uint8Array(content.length % 2));
const riff = (...chunks: Uint8Array[]) => {
  const content = bytes('WEBP', ...chunks);
  return bytes('RIFF', le32(content.length), content);
};

function chunksOf(file: Uint8Array): { type: string; content: Uint8Array }[] {
  const buffer = Buffer.from(file);
  const chunks: { type: string; content: Uint8Array }[] = [];
  for (let at = 12; at < file.length; ) {
    const length = buffer.readUInt32LE(at + 4);
    const content = Uint8Array.from(buffer.subarray(at + 8, at + 8 + length));
    chunks.push({ type: buffer.toString('latin1', at, at + 4), content });
    at += 8 + length + (length % 2);
  }
  return chunks;
}
const typesOf = (file: Uint8Array) => chunksOf(file).map(({ type }) => type);
const flagsOf = (file: Uint8Array) => chunksOf(file)[0]?.content[0];

describe('a rewrapped WebP', () => {
  it.each([
    { kind: 'lossy', options: {}, channels: 3, types: ['VP8 '] },
    { kind: 'lossless', options: { lossless: true }, channels: 4, types: ['VP8L'] },
    { kind: 'lossy with alpha', options: {}, channels: 4, types: ['VP8X', 'ALPH', 'VP8 '] },
  ] as const)('has lost all metadata and no pixel: $kind', async ({ options, channels, types }) => {
    const file = await withMetadata(picture(channels)).webp(options).toBuffer();
    const result = rewrapped(file);
    expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
    expect(await metadataKinds(result)).toEqual([]);
    expect(typesOf(result)).toEqual(types);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(result.length).toBeLessThan(file.length);
  });

  it('carries a profile and an orientation around its image', async () => {
    const file = rewrapped(await picture().webp().toBuffer());
    const icc = displayP3Profile();
    const result = rewrapped(file, { icc, exif: exif(3, 'MM') });
    const metadata = await sharp(result).metadata();
    expect(typesOf(result)).toEqual(['VP8X', 'ICCP', 'VP8 ', 'EXIF']);
    expect(chunksOf(result)[0]?.content).toEqual(
      bytes([0x28, 0, 0, 0], le24(width - 1), le24(height - 1)),
    );
    expect(metadata.orientation).toBe(3);
    expect(metadata.icc).toEqual(Buffer.from(icc));
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(rewrapped(result)).toEqual(file);
  });

  it('carries its blocks behind its image, each at an even offset, and flags for them', async () => {
    const file = rewrapped(await picture().webp().toBuffer());
    const result = rewrapped(file, blocks);
    expect(typesOf(result)).toEqual(['VP8X', 'VP8 ', 'EXIF', 'XMP ']);
    expect(flagsOf(result)).toBe(0x0c);
    expect(flagsOf(rewrapped(file, { xmp: blocks.xmp }))).toBe(0x04);
    expect([blocks.exif.length % 2, blocks.xmp.length % 2, result.length % 2]).toEqual([1, 1, 0]);
    expect(typesOf(rewrapped(file, { iptc: blocks.iptc }))).toEqual(['VP8 ']);
  });

  it('reads blocks that no flag announces, and strips a prefix', async () => {
    const parts = chunksOf(rewrapped(await picture().webp().toBuffer()));
    const [image] = parts.map(({ type, content }) => chunk(type, content));
    const prefixed = chunk('EXIF', bytes('Exif\0\0', blocks.exif));
    const file = riff(image ?? bytes(), prefixed, chunk('XMP ', blocks.xmp));
    expect(metadataOf(file)).toEqual({ ...blocks, iptc: null });
  });

  it('says that it has alpha when it has', async () => {
    const icc = displayP3Profile();
    for (const lossless of [true, false]) {
      const file = await picture(4).webp({ lossless }).toBuffer();
      const result = rewrapped(file, { icc });
      expect(flagsOf(result)).toBe(0x30);
      expect(inspected('webp', result).hasAlpha).toBe(true);
    }
    const opaque = await picture().webp({ lossless: true }).toBuffer();
    expect(flagsOf(rewrapped(opaque, { icc }))).toBe(0x20);
  });

  it('pads an odd profile', async () => {
    const icc = bytes(displayP3Profile(), 0);
    const result = rewrapped(await picture().webp().toBuffer(), { icc, exif: exif(5, 'MM') });
    expect(icc.length % 2).toBe(1);
    expect(profileOf(result)).toEqual(icc);
    expect((await sharp(result).metadata()).orientation).toBe(5);
  });

  it('keeps every frame of an animation', async () => {
    const file = await animation()
      .webp({ lossless: true, loop: 3, delay: [100, 200, 300] })
      .toBuffer();
    const parts = chunksOf(file).map(({ type, content }) => chunk(type, content));
    const noted = riff(...parts, chunk('XMP ', bytes('<x/>')), chunk('note', bytes('odd')));
    const result = rewrapped(noted, { icc: displayP3Profile() });
    const metadata = await sharp(result).metadata();
    expect(typesOf(result)).toEqual(['VP8X', 'ICCP', 'ANIM', 'ANMF', 'ANMF', 'ANMF']);
    expect([metadata.pages, metadata.loop, metadata.delay]).toEqual([3, 3, [100, 200, 300]]);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(rewrapped(result)).toEqual(rewrapped(file));
  });

  it('has lost what hides inside its frames and behind its loop count, and no bit of its frames', async () => {
    const stills = await Promise.all([
      picture(4).webp({ lossless: true }).toBuffer(),
      picture(4).webp().toBuffer(),
      picture(3).webp().toBuffer(),
    ]);
    const note = chunk('note', bytes('odd'));
    const exifNote = chunk('EXIF', bytes('Exif\0\0', blocks.exif));
    const made = (hidden: readonly Uint8Array[], more = bytes()) =>
      riff(
        chunk('VP8X', bytes([0x12, 0, 0, 0], le24(width - 1), le24(height - 1))),
        chunk('ANIM', bytes([1, 2, 3, 4, 5, 0], more)),
        ...stills.map((file) => chunk('ANMF', framePayload(file, hidden))),
      );
    const bare = made([]);
    const noted = made([note, exifNote, chunk('XMP ', blocks.xmp)], bytes('hidden'));
    expect(Buffer.from(rewrapped(bare)).equals(bare)).toBe(true);
    expect(Buffer.from(rewrapped(noted)).equals(bare)).toBe(true);
  });

  it('keeps of each frame the picture that is shown, and the alpha that belongs to it', async () => {
    const [, alpha, image] = chunksOf(rewrapped(await picture(4).webp().toBuffer())).map(
      ({ type, content }) => chunk(type, content),
    );
    const [lossless] = chunksOf(
      rewrapped(await picture(4).webp({ lossless: true }).toBuffer()),
    ).map(({ type, content }) => chunk(type, content));
    if (!alpha || !image || !lossless) throw new Error('not the files that were asked for');
    const made = (...frames: Uint8Array[]) =>
      riff(
        chunk('VP8X', bytes([0x12, 0, 0, 0], le24(width - 1), le24(height - 1))),
        chunk('ANIM', new Uint8Array(6)),
        ...frames.map((chunks) => chunk('ANMF', bytes(frameHead, chunks))),
      );
    const other = chunk('ALPH', bytes([0], new Uint8Array(width * height)));
    const file = made(
      bytes(other, alpha, image, other, lossless),
      bytes(other, lossless, image),
      bytes(image, alpha),
    );
    const result = rewrapped(file);
    expect(result).toEqual(made(bytes(alpha, image), lossless, image));
  });

  it('loses alpha that its header does not announce', async () => {
    const file = await picture(4).webp().toBuffer();
    const unannounced = Uint8Array.from(file);
    unannounced[20] = 0;
    const result = rewrapped(unannounced);
    expect(chunksOf(result).map(({ type }) => type)).toEqual(['VP8 ']);
    expect(await decoded(result)).toEqual(await decoded(unannounced));
    expect(chunksOf(rewrapped(file)).map(({ type }) => type)).toContain('ALPH');
  });

  it('adds no padding inside a frame that has nothing to lose', async () => {
    const image = oddImage(await picture().webp().toBuffer());
    const unpadded = bytes(frameHead, 'VP8 ', le32(image.length), image);
    const made = (...frames: Uint8Array[]) =>
      riff(
        chunk('VP8X', bytes([0x02, 0, 0, 0], le24(width - 1), le24(height - 1))),
        chunk('ANIM', new Uint8Array(6)),
        ...frames,
      );
    const file = made(chunk('ANMF', unpadded), chunk('ANMF', unpadded));
    expect(rewrapped(file)).toEqual(file);
    const padded = chunk('ANMF', bytes(unpadded, 0));
    const noted = chunk('ANMF', bytes(unpadded, 0, chunk('note', bytes())));
    expect(rewrapped(made(noted, padded))).toEqual(made(padded, padded));
  });

  it('has lost unknown chunks and trailing bytes', async () => {
    const file = rewrapped(await picture(4).webp().toBuffer());
    const [vp8x, alpha, image] = chunksOf(file).map(({ type, content }) => chunk(type, content));
    if (!vp8x || !alpha || !image) throw new Error('not the file that was asked for');
    const note = chunk('note', bytes('odd'));
    const noted = bytes(riff(vp8x, note, alpha, note, image, note), 'trailing');
    expect(rewrapped(noted)).toEqual(file);
  });

  it.each([
    ['its container states too much', (file: Buffer) => stating(file, file.length + 100)],
    ['its metadata are cut short', (file: Buffer) => withBlock(file).subarray(0, -20)],
    ['the header of its metadata is cut short', (file: Buffer) => withBlock(file).subarray(0, -44)],
  ])('is whole again where %s, but not where its image is cut short', async (_name, damaged) => {
    for (const lossless of [false, true]) {
      const file = await picture().webp({ lossless }).toBuffer();
      expect([...rewrapped(damaged(file))]).toEqual([...rewrapped(file)]);
      const cut = stating(file.subarray(0, -9), file.length);
      expect(inspect(cut).kind).toBe('broken');
    }
  });

  it('gets a forgotten padding byte back only when that makes it no longer', async () => {
    const padded = riff(chunk('VP8 ', oddImage(await picture().webp().toBuffer())));
    const cut = bytes('RIFF', le32(padded.length - 9), padded.subarray(8, -1));
    expect(rewrapped(padded)).toEqual(padded);
    expect(rewrapped(cut)).toEqual(cut);
    expect(rewrapped(bytes(cut, 'trailing'))).toEqual(padded);
  });
});

/** The image data of a simple file, made odd by a byte that no decoder reads. */
/** The file with another length in its container. */
function stating(file: Uint8Array, length: number): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt32LE(length, 4);
  return copy;
}

/** The extended form of a simple file, with 50 bytes of EXIF. */
function withBlock(file: Uint8Array): Buffer {
  const size = bytes(8, 0, 0, 0, le24(width - 1), le24(height - 1));
  const image = bytes(file.subarray(12), file.length % 2 ? 0 : []);
  return Buffer.from(riff(chunk('VP8X', size), image, chunk('EXIF', new Uint8Array(50))));
}

function oddImage(file: Uint8Array): Uint8Array {
  const [image] = chunksOf(rewrapped(file));
  if (!image) throw new Error('no image');
  return image.content.length % 2 === 1 ? image.content : bytes(image.content, 0);
}

/** What a frame as large as the canvas begins with: 100 ms, laid over what is there. */
const frameHead = bytes(new Uint8Array(6), le24(width - 1), le24(height - 1), le24(100), 0);

/** A frame of a still picture, with other chunks in front of those of the picture, between them and behind. */
function framePayload(still: Uint8Array, hidden: readonly Uint8Array[]): Uint8Array {
  const chunks = chunksOf(rewrapped(still)).filter(({ type }) => type !== 'VP8X');
  const parts = chunks.flatMap(({ type, content }) => [...hidden, chunk(type, content)]);
  return bytes(frameHead, ...parts, ...hidden);
}

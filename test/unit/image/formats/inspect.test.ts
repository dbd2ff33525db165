import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../src/image/formats/registry.ts';
import { cpuMilliseconds } from '../../../support/time.ts';
import { be32, bytes } from './byte-writing.ts';

const ftyp = (...brands: string[]) =>
  bytes(be32(12 + 4 * brands.length), 'ftyp', brands[0] ?? '', be32(0), ...brands.slice(1));

describe('a file that is not ours to read', () => {
  it.each([
    ['SVG', bytes('<?xml version="1.0"?>\n<!-- drawn -->\n<svg xmlns="x">')],
    ['SVG', bytes('\xef\xbb\xbf <svg>')],
    ['HEIC', ftyp('heic', 'mif1')],
    ['HEIC', ftyp('mif1', 'heix')],
    ['JPEG XL', bytes(0xff, 0x0a, 0)],
    ['JPEG XL', bytes(be32(12), 'JXL \r\n\x87\n')],
    ['JPEG 2000', bytes(be32(12), 'jP  \r\n\x87\n')],
    ['TIFF', bytes('II*\0', 8, 0, 0, 0)],
    ['TIFF', bytes('MM\0*', 0, 0, 0, 8)],
    ['BMP', bytes('BM', 70, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0)],
    ['unknown', bytes()],
    ['unknown', bytes('BMW is a text')],
    ['unknown', bytes('<html><body>')],
    ['unknown', bytes('RIFF', be32(0), 'WAVE')],
    ['unknown', ftyp('isom', 'mp42')],
  ])('is called %s', (what, file) => {
    expect(inspect(file)).toEqual({ kind: 'unsupported', what });
  });
});

describe('the bytes given', () => {
  it('may be a window into a larger buffer', async () => {
    const file = await sharp({ create: { width: 7, height: 5, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const larger = new Uint8Array(file.length + 20);
    larger.set(file, 13);
    const result = inspect(larger.subarray(13, 13 + file.length));
    expect(result).toMatchObject({ kind: 'image', image: { width: 7, height: 5 } });
  });
});

describe('hostile bytes', () => {
  const million = 1 << 20;
  const repeated = (head: Uint8Array, unit: Uint8Array) => {
    const file = new Uint8Array(
      head.length + unit.length * Math.floor((8 * million) / unit.length),
    );
    file.set(head);
    for (let at = head.length; at < file.length; at += unit.length) file.set(unit, at);
    return file;
  };
  const pngHead = async () =>
    (
      await sharp({ create: { width: 7, height: 5, channels: 3, background: 'red' } })
        .png()
        .toBuffer()
    ).subarray(0, 33);

  it.each([
    ['garbage after a JPEG start', async () => repeated(bytes(0xff, 0xd8), bytes(0xff, 0))],
    ['empty JPEG segments', async () => repeated(bytes(0xff, 0xd8), bytes(0xff, 0xe0, 0, 2))],
    ['empty PNG chunks', async () => repeated(await pngHead(), bytes(be32(0), 'teXt', be32(0)))],
    [
      'empty WebP chunks',
      async () =>
        repeated(
          bytes('RIFF', 0, 0, 128, 0, 'WEBP', 'VP8X', 10, 0, 0, 0, new Uint8Array(10)),
          bytes('XMP ', 0, 0, 0, 0),
        ),
    ],
    ['empty boxes', async () => repeated(ftyp('avif'), bytes(be32(8), 'free'))],
    [
      'an endless brand list',
      async () => repeated(bytes(be32(8 * million), 'ftyp'), bytes('abcd')),
    ],
  ])('are walked in linear time: 8 MiB of %s', async (_what, make) => {
    const file = await make();
    expect(inspect(file).kind).not.toBe('image');
    // A quadratic walk takes hours.
    expect(cpuMilliseconds(() => inspect(file))).toBeLessThan(2000);
  });
});

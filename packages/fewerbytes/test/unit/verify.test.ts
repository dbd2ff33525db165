import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { MediaType } from '../../src/images.ts';
import { damageIn, type Sent, type Stated } from '../../src/verify/damage.ts';

const [width, height] = [24, 16];

/** Noise, so that every format has data to speak of. */
function picture(frames = 1) {
  const pixels = Buffer.from(
    Array.from({ length: width * height * frames * 4 }, (_, i) => (i * 7919) % 251),
  );
  const raw = { width, height: height * frames, channels: 4 as const, pageHeight: height };
  return sharp(pixels, { raw });
}

/** A JPEG XL codestream of these dimensions by its header (ISO/IEC 18181-1 §D.2), with two bytes for its content. */
function codestream(): Buffer {
  // not in units of 8; 9 bits for the height less 1, no ratio, 9 bits for the width less 1
  const bits = (BigInt(height - 1) << 3n) | (BigInt(width - 1) << 17n);
  const header = Buffer.alloc(8);
  header.writeBigUInt64LE(bits);
  return Buffer.concat([Buffer.from([0xff, 0x0a]), header, Buffer.from([1, 2])]);
}

function box(type: string, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const jxlStart = [
  box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
  box('ftyp', Buffer.from('jxl \0\0\0\0jxl ')),
];

/** A part of a codestream after its number; the highest bit marks the last one. */
const part = (number: number, bytes: Buffer) =>
  box('jxlp', Buffer.from([number >>> 24, 0, 0, number & 255]), bytes);

const files: Record<string, [MediaType, Buffer]> = {
  'a baseline JPEG': ['image/jpeg', await picture().jpeg().toBuffer()],
  'a progressive JPEG': ['image/jpeg', await picture().jpeg({ progressive: true }).toBuffer()],
  'a JPEG with another behind it': [
    'image/jpeg',
    Buffer.concat([await picture().jpeg().toBuffer(), await picture().jpeg().toBuffer()]),
  ],
  'a PNG': ['image/png', await picture().png().toBuffer()],
  'a lossy WebP': ['image/webp', await picture().flatten().webp().toBuffer()],
  'a lossless WebP': ['image/webp', await picture().webp({ lossless: true }).toBuffer()],
  'a WebP with alpha': ['image/webp', await picture().webp().toBuffer()],
  'an animated WebP': ['image/webp', await picture(2).webp().toBuffer()],
  'a GIF': ['image/gif', await picture().gif().toBuffer()],
  'an animated GIF': ['image/gif', await picture(2).gif().toBuffer()],
  'an AVIF': ['image/avif', await picture().avif({ effort: 0 }).toBuffer()],
  'a JPEG XL in a container': [
    'image/jxl',
    Buffer.concat([...jxlStart, box('jxlc', codestream())]),
  ],
  'a JPEG XL in parts': [
    'image/jxl',
    Buffer.concat([...jxlStart, part(0, codestream()), part(0x80000001, Buffer.from('end'))]),
  ],
};

const still: Sent = { bytes: await picture().png().toBuffer().then(own), options: {} };
const animation: Sent = { ...still, bytes: await picture(2).gif().toBuffer().then(own) };

/** In a buffer of its own. */
function own(file: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(file);
}

/** What is wrong with a file of this type as the result for an image; an animated one's is an animation. */
function damage(
  name: string,
  bytes: Uint8Array,
  stated: Partial<Stated> = {},
  sent?: Partial<Sent>,
) {
  const [type = 'image/png'] = files[name] ?? [];
  const all = { ...(name.includes('animated') ? animation : still), ...sent };
  return damageIn(own(bytes), { type, width, height, ...stated }, all);
}

const incomplete = 'it is damaged or incomplete';

describe.each(Object.entries(files))('%s', (name, [type, bytes]) => {
  it('is whole as it is', async () => {
    expect(await damage(name, bytes)).toBeNull();
  });

  it('is not whole without its last byte, nor wherever else it is cut', async () => {
    // a JPEG is whole where the one behind it begins
    const whole = type === 'image/jpeg' ? bytes.indexOf(Buffer.from('ffd9', 'hex')) + 2 : 0;
    for (let length = 0; length < bytes.length; length += 1) {
      if (length === whole) continue;
      const found = await damage(name, bytes.subarray(0, length));
      expect(found, `cut at ${length}`).toMatch(/^it is (?:no image|damaged or incomplete)/);
    }
  });

  it('is not whole with something behind it', async () => {
    const longer = Buffer.concat([bytes, Buffer.from('<p>A page of a proxy</p>')]);
    expect(await damage(name, longer)).toBe(incomplete);
  });

  it('has the dimensions that are stated and asked for, and no others', async () => {
    const wrong = `it does not have ${width} × ${height} pixels`;
    expect(await damage(name, bytes, { width: width + 1 })).toBe(wrong);
    expect(await damage(name, bytes, { width: height, height: width })).toBe(wrong);
    const options = { width: width / 2 };
    const half = `it does not have ${width / 2} × ${height / 2} pixels`;
    expect(await damage(name, bytes, {}, { options })).toBe(half);
    expect(await damage(name, bytes, { width: width / 2, height: height / 2 }, { options })).toBe(
      half,
    );
  });

  it('is of no other type', async () => {
    const other = type === 'image/png' ? 'image/gif' : 'image/png';
    expect(await damage(name, bytes, { type: other })).toBe(`it is no ${other}`);
  });
});

describe('dimensions', () => {
  const jpeg = 'a baseline JPEG';

  it.each([
    [{ width: 12 }, 12, 8],
    [{ width: 7 }, 7, 5],
    [{ width: 12, height: 4 }, 6, 4],
    [{ width: 100 }, 24, 16],
    [{ width: 10, height: 10, fit: 'cover' }, 10, 10],
    // what is too small for the box gets its shape
    [{ width: 100, height: 100, fit: 'cover' }, 16, 16],
  ] as const)('by %o are %d × %d', async (options, width, height) => {
    const made = await picture().resize(width, height, { fit: 'fill' }).jpeg().toBuffer();
    expect(await damage(jpeg, made, { width, height }, { options })).toBeNull();
  });

  it('are those of the upright image, whichever of the two is turned by a tag', async () => {
    const turned = await picture().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const upright = await picture().rotate(90).jpeg().toBuffer();
    const sizes = { width: height, height: width };
    expect(await damage(jpeg, upright, sizes, { bytes: own(turned) })).toBeNull();
    expect(await damage(jpeg, turned, sizes, { bytes: own(upright) })).toBeNull();
    expect(await damage(jpeg, turned)).toMatch('does not have');
    expect(await damage(jpeg, upright, sizes)).toMatch('does not have');
  });

  it('of a JPEG XL are those of its header, after its orientation', async () => {
    const stated = { type: 'image/jxl' } as const;
    expect(await damage('', codestream(), stated)).toBeNull();
    // in units of 8, and with a ratio of 3 to 2
    const small = Buffer.from([0xff, 0x0a, 0, 0]);
    small.writeUInt16LE(1 | (1 << 1) | (4 << 6), 2);
    expect(await damage('', small, stated)).toBeNull();
    // more than the defaults: orientation 6
    small.writeUInt16LE(1 | (1 << 1) | (4 << 6) | (1 << 10) | (5 << 11), 2);
    expect(await damage('', small, stated)).toMatch('does not have');
    const upright = own(await picture().rotate(90).jpeg().toBuffer());
    const sizes = { ...stated, width: height, height: width };
    expect(await damage('', small, sizes, { bytes: upright })).toBeNull();
  });
});

it('pictures that keep their inks or their 16 bits are decoded, too', async () => {
  const cmyk = await picture().flatten().toColourspace('cmyk').jpeg().toBuffer();
  expect(await damage('a baseline JPEG', cmyk)).toBeNull();
  const scan = cmyk.indexOf(Buffer.from('ffda', 'hex'));
  const cut = Buffer.concat([cmyk.subarray(0, (scan + cmyk.length) / 2), cmyk.subarray(-2)]);
  expect(await damage('a baseline JPEG', cut)).toBe(incomplete);
});

it('each frame of an animation is decoded, and none comes from a still', async () => {
  const [, bytes] = files['an animated GIF'] as [MediaType, Buffer];
  // the last frame's blocks of coded data are as long as they were
  const damaged = Buffer.from(bytes);
  const image = damaged.lastIndexOf(Buffer.from('2c00000000', 'hex'));
  damaged.fill(0xff, image + 13, image + 40);
  expect(await damage('an animated GIF', damaged)).toBe(incomplete);
  expect(await damage('an animated GIF', bytes, {}, still)).toBe('it is an animation');
});

it('a PNG whose checksums are wrong is damaged, although its pixels are there', async () => {
  const damaged = Buffer.from((files['a PNG'] as [MediaType, Buffer])[1]);
  const end = damaged.length - 13;
  damaged[end] = 255 - (damaged[end] ?? 0);
  expect(await damage('a PNG', damaged)).toBe(incomplete);
});

it('damage of any kind is told, and never thrown', { tags: 'slow' }, async () => {
  for (const [name, [, bytes]] of Object.entries(files)) {
    for (let at = 0; at < bytes.length; at += 3) {
      const damaged = Buffer.from(bytes);
      damaged[at] = 255 - (damaged[at] ?? 0);
      expect(await damage(name, damaged)).toBeOneOf([null, expect.any(String)]);
    }
  }
});

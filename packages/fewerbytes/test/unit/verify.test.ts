import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { MediaType } from '../../src/images.ts';
import { damageIn } from '../../src/verify/damage.ts';

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

describe.each(Object.entries(files))('%s', (_, [type, bytes]) => {
  it('is whole as it is, also turned by a quarter', () => {
    expect(damageIn(bytes, { type, width, height })).toBeNull();
    expect(damageIn(bytes, { type, width: height, height: width })).toBeNull();
  });

  it('is not whole without its last byte, nor wherever else it is cut', () => {
    // a JPEG is whole where the one behind it begins
    const whole = type === 'image/jpeg' ? bytes.indexOf(Buffer.from('ffd9', 'hex')) + 2 : 0;
    for (let length = 0; length < bytes.length; length += 1) {
      const damage = damageIn(bytes.subarray(0, length), { type, width, height });
      if (length === whole) continue;
      expect(damage, `cut at ${length}`).toMatch(/^it is (?:no image|damaged or incomplete)/);
    }
  });

  it('is not whole with something behind it', () => {
    const longer = Buffer.concat([bytes, Buffer.from('<p>A page of a proxy</p>')]);
    expect(damageIn(longer, { type, width, height })).toBe('it is damaged or incomplete');
  });

  it('has its dimensions and no others', () => {
    const damage = damageIn(bytes, { type, width: width + 1, height });
    expect(damage).toBe(`it does not have ${width + 1} × ${height} pixels`);
  });

  it('is of no other type', () => {
    const other = type === 'image/png' ? 'image/gif' : 'image/png';
    expect(damageIn(bytes, { type: other, width, height })).toBe(`it is no ${other}`);
  });
});

it('a bare JPEG XL codestream has the dimensions of its header', () => {
  expect(damageIn(codestream(), { type: 'image/jxl', width, height })).toBeNull();
  // in units of 8, and with a ratio of 3 to 2
  const small = Buffer.from([0xff, 0x0a, 0, 0]);
  small.writeUInt16LE(1 | (1 << 1) | (4 << 6), 2);
  expect(damageIn(small, { type: 'image/jxl', width, height })).toBeNull();
});

it('damage of any kind is told, and never thrown', { tags: 'slow' }, () => {
  for (const [, [type, bytes]] of Object.entries(files)) {
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = 255 - (damaged[at] ?? 0);
      expect(() => damageIn(damaged, { type, width, height })).not.toThrow();
    }
  }
});

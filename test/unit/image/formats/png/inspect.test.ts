import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { be32, bytes, exif, inspected, type Part } from '../byte-writing.ts';

const signature = '\x89PNG\r\n\x1a\n';

function chunk(type: string, ...parts: Part[]): Uint8Array {
  const body = bytes(type, ...parts);
  return bytes(be32(body.length - 4), body, be32(crc32(body)));
}

function header(
  colorType: number,
  bitDepth: number,
  { width = 30, height = 20, interlace = 0 } = {},
) {
  return chunk('IHDR', be32(width), be32(height), bitDepth, colorType, 0, 0, interlace);
}

function png(...chunks: Part[]): Uint8Array {
  return bytes(signature, ...chunks, chunk('IDAT', 'abc'), chunk('IEND'));
}

/** The chunk with the last byte of its checksum changed. */
function misChecked(whole: Uint8Array): Uint8Array {
  return whole.map((byte, i) => (i === whole.length - 1 ? byte ^ 1 : byte));
}

const palette = (entries: number) => chunk('PLTE', new Uint8Array(3 * entries));
const frameControl = chunk('fcTL', new Uint8Array(26));
const animation = (frames: number) => chunk('acTL', be32(frames), be32(0));
const profile = chunk('iCCP', 'a name\0\0', 'deflated');
const red = { create: { width: 70, height: 50, channels: 4, background: '#ff000080' } } as const;

describe('a PNG made by an encoder', () => {
  it('has its size, depth and alpha', async () => {
    const file = await sharp(red).png().toBuffer();
    const image = inspected('png', file);
    expect(image).toEqual({
      type: 'png',
      width: 70,
      height: 50,
      bitDepth: 8,
      hasAlpha: true,
      isGrey: false,
      frames: 1,
      orientation: 1,
      icc: [],
      colorType: 6,
      interlaced: false,
      hasSubstitute: false,
      paletteSize: 0,
      colorChunk: null,
      cicp: null,
      gamma: null,
      chromaticities: null,
      load: { chunks: 3, codedBytes: expect.any(Number), textBytes: 0, hasLongText: false },
      partsMs: expect.closeTo(0.009, 6),
    });
    // Signature, header, pHYs, the other parts of IDAT, and IEND.
    expect(image.load?.codedBytes).toBe(file.length - 8 - 25 - 21 - 12 - 12);
  });

  it('can be interlaced, 16-bit and grey', async () => {
    const file = await sharp(red)
      .removeAlpha()
      .toColourspace('grey16')
      .png({ progressive: true })
      .toBuffer();
    expect(inspected('png', file)).toMatchObject({
      bitDepth: 16,
      isGrey: true,
      interlaced: true,
      colorType: 0,
    });
  });

  it('keeps its orientation in eXIf', async () => {
    const file = await sharp(red).png().withMetadata({ orientation: 7 }).toBuffer();
    expect(inspected('png', file).orientation).toBe(7);
  });
});

describe('the chunks of a PNG', () => {
  it('can make any colour type transparent', () => {
    const transparency = chunk('tRNS', 0, 1);
    expect(inspected('png', png(header(0, 2), transparency))).toMatchObject({
      hasAlpha: true,
      isGrey: true,
      bitDepth: 2,
    });
    expect(inspected('png', png(header(3, 4), palette(3), transparency)).hasAlpha).toBe(true);
    expect(inspected('png', png(header(2, 8), chunk('tRNS', 0, 1, 0, 2, 0, 3))).hasAlpha).toBe(
      true,
    );
    expect(inspected('png', png(header(3, 4), palette(3))).hasAlpha).toBe(false);
  });

  it('give the palette size, which the bit depth bounds and grey pictures do not have', () => {
    expect(inspected('png', png(header(3, 8), palette(200))).paletteSize).toBe(200);
    expect(inspected('png', png(header(3, 2), palette(16))).paletteSize).toBe(4);
    expect(inspected('png', png(header(2, 8), palette(16))).paletteSize).toBe(16);
    expect(inspected('png', png(header(0, 8), palette(16))).paletteSize).toBe(0);
  });

  it('take precedence for colour in the order of the specification', () => {
    const gamma = chunk('gAMA', be32(45455));
    const srgb = chunk('sRGB', 0);
    const cicp = chunk('cICP', 9, 16, 0, 1);
    expect(inspected('png', png(header(2, 8), gamma)).colorChunk).toBe('gAMA');
    expect(inspected('png', png(header(2, 8), gamma, srgb)).colorChunk).toBe('sRGB');
    expect(inspected('png', png(header(2, 8), gamma, srgb, profile)).colorChunk).toBe('iCCP');
    expect(inspected('png', png(header(2, 8), cicp, gamma, srgb, profile)).colorChunk).toBe('cICP');
    expect(inspected('png', png(header(3, 8), palette(2), cicp)).colorChunk).toBeNull();
  });

  it('say where the deflated profile lies, and a malformed one is none', () => {
    const file = png(header(2, 8), profile);
    const [range] = inspected('png', file).icc;
    expect(range).toEqual({ offset: 8 + 25 + 8 + 8, length: 8 });
    for (const bad of [
      '\0\0data',
      'name\0\x01data',
      'no end',
      `${'n'.repeat(80)}\0\0data`,
      'name\0',
    ]) {
      const image = inspected('png', png(header(2, 8), chunk('iCCP', bad)));
      expect(image).toMatchObject({ icc: [], colorChunk: null });
    }
  });

  it.each([
    ['after the image data', [], [chunk('eXIf', exif(3, 'II'))], 1],
    ['behind a prefix of JPEG', [chunk('eXIf', 'Exif\0\0', exif(3, 'II'))], [], 1],
    ['with a wrong checksum', [misChecked(chunk('eXIf', exif(3, 'II')))], [], 1],
    [
      'with a wrong checksum, before a sound one',
      [misChecked(chunk('eXIf', exif(3, 'II'))), chunk('eXIf', exif(5, 'MM'))],
      [],
      5,
    ],
    ['twice', [chunk('eXIf', exif(3, 'II')), chunk('eXIf', exif(5, 'MM'))], [], 3],
  ])('are rotated as by browsers if they say so %s', (_, before, behind, orientation) => {
    const file = bytes(
      ...[signature, header(2, 8), ...before],
      ...[chunk('IDAT'), ...behind, chunk('IEND')],
    );
    expect(inspected('png', file).orientation).toBe(orientation);
  });

  it('count the frames of an animation, a single hidden frame as two', () => {
    const frames = (...chunks: Part[]) => inspected('png', png(header(6, 8), ...chunks)).frames;
    expect(frames(animation(5), frameControl)).toBe(5);
    expect(frames(animation(5))).toBe(5);
    expect(frames(animation(1), frameControl)).toBe(1);
    expect(frames(animation(1))).toBe(2);
    expect(frames(animation(0))).toBe(1);
  });

  it('may end without IEND, or go on after it', () => {
    const whole = png(header(2, 8));
    expect(inspect(whole.subarray(0, -12)).kind).toBe('image');
    expect(inspect(whole.subarray(0, -5)).kind).toBe('image');
    expect(inspect(bytes(whole, 'trailing garbage')).kind).toBe('image');
  });
});

describe('the colour chunks of a PNG', () => {
  const color = (...chunks: Part[]) => {
    const image = inspected('png', png(header(2, 8), ...chunks));
    const { colorChunk, cicp, gamma, chromaticities } = image;
    return { colorChunk, cicp, gamma, chromaticities };
  };
  const nothing = { colorChunk: null, cicp: null, gamma: null, chromaticities: null };
  const points = (...values: number[]) => chunk('cHRM', ...values.map(be32));
  const srgbPoints = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000];

  it('say what they say', () => {
    const all = [
      ...[chunk('cICP', 12, 13, 0, 1), chunk('gAMA', be32(55000)), points(...srgbPoints)],
      chunk('sRGB', 0),
    ];
    expect(color(...all)).toEqual({
      colorChunk: 'cICP',
      cicp: { primaries: 12, transfer: 13, fullRange: true },
      gamma: 0.55,
      chromaticities: {
        white: { x: 0.3127, y: 0.329 },
        red: { x: 0.64, y: 0.33 },
        green: { x: 0.3, y: 0.6 },
        blue: { x: 0.15, y: 0.06 },
      },
    });
    expect(color(chunk('cICP', 9, 16, 0, 0)).cicp?.fullRange).toBe(false);
  });

  it('count once: the first usable one of each kind', () => {
    const first = chunk('gAMA', be32(55000));
    const second = chunk('gAMA', be32(45455));
    expect(color(first, second).gamma).toBe(0.55);
    expect(color(misChecked(first), second).gamma).toBe(0.45455);
    expect(color(chunk('cICP', 9, 16, 0, 1), chunk('cICP', 1, 13, 0, 1)).cicp?.primaries).toBe(9);
  });

  it('count only before the image data, and cICP only before the palette', () => {
    const cicp = chunk('cICP', 9, 16, 0, 1);
    const others = [chunk('gAMA', be32(55000)), points(...srgbPoints)];
    expect(color(palette(3), cicp, ...others)).toEqual(color(...others));
    expect(color(palette(3), chunk('sRGB', 0)).colorChunk).toBe('sRGB');
    expect(color(palette(3), profile).colorChunk).toBe('iCCP');
    expect(color(chunk('IDAT', 'abc'), cicp, ...others)).toEqual(nothing);
    expect(color(cicp, ...others, palette(3))).toEqual(color(cicp, ...others));
  });

  it.each([
    ['cICP with a wrong checksum', misChecked(chunk('cICP', 9, 16, 0, 1))],
    ['cICP of three bytes', chunk('cICP', 9, 16, 0)],
    ['cICP of five bytes', chunk('cICP', 9, 16, 0, 1, 0)],
    ['cICP with the matrix of YCbCr', chunk('cICP', 9, 16, 9, 1)],
    ['cICP with a range of 2', chunk('cICP', 9, 16, 0, 2)],
    ['sRGB with a wrong checksum', misChecked(chunk('sRGB', 0))],
    ['sRGB without an intent', chunk('sRGB')],
    ['gAMA with a wrong checksum', misChecked(chunk('gAMA', be32(55000)))],
    ['gAMA of 0', chunk('gAMA', be32(0))],
    ['gAMA below what libpng takes', chunk('gAMA', be32(15))],
    ['gAMA above what libpng takes', chunk('gAMA', be32(625_000_001))],
    ['gAMA of three bytes', chunk('gAMA', 0, 0, 1)],
    ['gAMA without data', chunk('gAMA')],
    ['cHRM with a wrong checksum', misChecked(points(...srgbPoints))],
    ['cHRM of seven numbers', points(...srgbPoints.slice(1))],
    ['cHRM of nothing but zeros', points(0, 0, 0, 0, 0, 0, 0, 0)],
    ['cHRM with y = 0', points(31270, 0, ...srgbPoints.slice(2))],
    ['cHRM with points in a line', points(30000, 30000, 10000, 10000, 20000, 20000, 50000, 50000)],
    ['cHRM with white outside', points(70000, 20000, ...srgbPoints.slice(2))],
    ['cHRM with white on an edge', points(47000, 46500, ...srgbPoints.slice(2))],
    ['cHRM outside the diagram', points(31270, 32900, 90000, 33000, ...srgbPoints.slice(4))],
    ['cHRM of huge numbers', points(...srgbPoints.map(() => 0xffffffff))],
  ])('count for nothing when they cannot be right: %s', (_, bad) => {
    expect(color(bad)).toEqual(nothing);
  });

  it('may go round the triangle either way', () => {
    const [wx, wy, rx, ry, gx, gy, ...blue] = srgbPoints as [
      ...[number, number, number, number, number, number],
      ...number[],
    ];
    const green = color(points(wx, wy, gx, gy, rx, ry, ...blue)).chromaticities?.green;
    expect(green).toEqual({ x: 0.64, y: 0.33 });
  });
});

describe('a PNG that we refuse', () => {
  it.each([
    ['a header with a wrong checksum', png(misChecked(header(2, 8)))],
    ['a palette with a wrong checksum', png(header(3, 8), misChecked(palette(2)))],
    ['no header', png(chunk('gAMA', be32(1)))],
    ['two headers', png(header(2, 8), header(2, 8))],
    ['zero width', png(header(2, 8, { width: 0 }))],
    ['a height of 2^31', png(header(2, 8, { height: 0x80000000 }))],
    ['colour type 1', png(header(1, 8))],
    ['palette indices of 16 bits', png(header(3, 16), palette(2))],
    ['interlace method 2', png(header(2, 8, { interlace: 2 }))],
    ['no palette for indices', png(header(3, 8))],
    ['a palette of 2 bytes', png(header(3, 8), chunk('PLTE', 1, 2))],
    ['no image data', bytes(signature, header(2, 8), chunk('IEND'))],
    ['a chunk type of digits', png(header(2, 8), chunk('1234'))],
    ['a signature changed by a text transfer', bytes('\x89PNG\n\x1a\n', header(2, 8))],
    ['only the signature', bytes(signature)],
  ])('as broken: %s', (_what, file) => {
    expect(inspect(file).kind).toBe('broken');
  });

  it.each([
    ['CgBI', png(chunk('CgBI', be32(0)), header(2, 8))],
    ['NEWX', png(header(2, 8), chunk('NEWX'))],
  ])('for a feature: the critical chunk %s', (type, file) => {
    expect(inspect(file)).toEqual({
      kind: 'unsupported-feature',
      detail: expect.stringContaining(type),
    });
  });
});

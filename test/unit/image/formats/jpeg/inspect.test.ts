import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect, uprightSize } from '../../../../../src/image/formats/registry.ts';
import { be16, bytes, exif, inspected, type Part } from '../byte-writing.ts';

const soi = [0xff, 0xd8];
const scan = segment(0xda, [1, 1, 0, 0, 63, 0]);

function segment(code: number, ...parts: Part[]): Uint8Array {
  const data = bytes(...parts);
  return bytes(0xff, code, be16(data.length + 2), data);
}

function frame(
  ids: readonly number[],
  { code = 0xc0, precision = 8, height = 20, width = 30 } = {},
) {
  const components = ids.flatMap((id) => [id, 0x11, 0]);
  return segment(code, precision, be16(height), be16(width), ids.length, components);
}

function jpeg(...segments: Part[]): Uint8Array {
  return bytes(soi, ...segments, scan);
}

const jfif = segment(0xe0, 'JFIF\0', 1, 2, 0, 0, 1, 0, 1, 0, 0);
const adobe = (transform: number) => segment(0xee, 'Adobe', 0, 100, 0, 0, 0, 0, transform);
const icc = (number: number, of: number, data: string) =>
  segment(0xe2, 'ICC_PROFILE\0', number, of, data);
const noise = { create: { width: 70, height: 50, channels: 3, background: '#804020' } } as const;

describe('a JPEG made by an encoder', () => {
  it('is baseline 4:2:0 with its size', async () => {
    const image = inspected('jpeg', await sharp(noise).jpeg({ quality: 80 }).toBuffer());
    expect(image).toMatchObject({
      width: 70,
      height: 50,
      bitDepth: 8,
      hasAlpha: false,
      isGrey: false,
      frames: 1,
      orientation: 1,
      icc: [],
      process: 'baseline',
      colorSpace: 'ycbcr',
      restartInterval: 0,
    });
    expect(image.components).toEqual([
      { id: 1, horizontal: 2, vertical: 2, quantizationTable: 0 },
      { id: 2, horizontal: 1, vertical: 1, quantizationTable: 1 },
      { id: 3, horizontal: 1, vertical: 1, quantizationTable: 1 },
    ]);
  });

  it('has its quantization tables in row-major order', async () => {
    const image = inspected('jpeg', await sharp(noise).jpeg({ quality: 50 }).toBuffer());
    // ITU-T T.81 table K.1: quality 50 is the table itself.
    expect([...(image.quantizationTables[0] ?? [])].slice(0, 16)).toEqual([
      16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55,
    ]);
    expect(image.quantizationTables[2]).toBeUndefined();
  });

  it('is progressive when it was made so, and grey with one component', async () => {
    const image = inspected(
      'jpeg',
      await sharp(noise).toColourspace('b-w').jpeg({ progressive: true }).toBuffer(),
    );
    expect(image).toMatchObject({ process: 'progressive', isGrey: true, colorSpace: 'grey' });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('keeps EXIF orientation %i', async (orientation) => {
    const image = inspected(
      'jpeg',
      await sharp(noise).jpeg().withMetadata({ orientation }).toBuffer(),
    );
    expect(image.orientation).toBe(orientation);
    expect(uprightSize(image)).toEqual(
      orientation >= 5 ? { width: 50, height: 70 } : { width: 70, height: 50 },
    );
  });

  it('says where its ICC profile lies', async () => {
    const file = await sharp(noise).withIccProfile('p3').jpeg().toBuffer();
    const { icc: profile } = await sharp(file).metadata();
    const ranges = inspected('jpeg', file).icc;
    const joined = ranges.map(({ offset, length }) => file.subarray(offset, offset + length));
    expect(Buffer.concat(joined)).toEqual(profile);
  });
});

describe('the colour space of a JPEG', () => {
  it.each([
    ['ycbcr', 'JFIF, whatever the ids and Adobe say', [jfif, adobe(0), frame([82, 71, 66])]],
    ['rgb', 'Adobe transform 0', [adobe(0), frame([1, 2, 3])]],
    ['ycbcr', 'Adobe transform 1', [adobe(1), frame([82, 71, 66])]],
    ['rgb', 'component ids R, G, B', [frame([82, 71, 66])]],
    ['ycbcr', 'any other ids', [frame([0, 1, 2])]],
    ['ycck', 'four components and Adobe transform 2', [adobe(2), frame([1, 2, 3, 4])]],
    ['ycck', 'four components and an Adobe transform for three', [adobe(1), frame([1, 2, 3, 4])]],
    ['cmyk', 'four components and Adobe transform 0', [adobe(0), frame([1, 2, 3, 4])]],
    ['cmyk', 'four components alone', [frame([1, 2, 3, 4])]],
  ])('is %s by %s', (expected, _reason, segments) => {
    expect(inspected('jpeg', jpeg(...segments)).colorSpace).toBe(expected);
  });
});

describe('the segments of a JPEG', () => {
  it('may have fill bytes, garbage and restart markers between them', () => {
    const file = jpeg([0xff, 0xff], jfif, 'garbage', 0xff, 0x00, 0xff, 0xd3, frame([1]));
    expect(inspected('jpeg', file)).toMatchObject({ width: 30, height: 20 });
  });

  it('give the restart interval and 16-bit quantization tables', () => {
    const steps = Array.from({ length: 64 }, (_, i) => be16(256 + i)).flat();
    const file = jpeg(segment(0xdd, 1, 2), segment(0xdb, 0x13, steps), frame([1], { code: 0xc1 }));
    const image = inspected('jpeg', file);
    expect(image).toMatchObject({ restartInterval: 258, process: 'extended' });
    expect(image.quantizationTables[3]?.slice(0, 3)).toEqual(Uint16Array.of(256, 257, 261));
  });

  it.each(['II', 'MM'] as const)('carry EXIF in byte order %s', (order) => {
    expect(
      inspected('jpeg', jpeg(segment(0xe1, 'Exif\0\0', exif(6, order)), frame([1]))).orientation,
    ).toBe(6);
  });

  it.each([0, 9, 300])('mean upright by the senseless orientation %i', (value) => {
    const file = jpeg(segment(0xe1, 'Exif\0\0', exif(value, 'MM')), frame([1]));
    expect(inspected('jpeg', file).orientation).toBe(1);
  });

  it('carry a profile in several ordered chunks', () => {
    const file = jpeg(icc(1, 2, 'abc'), icc(2, 2, 'de'), frame([1]));
    const text = inspected('jpeg', file).icc.map(({ offset, length }) =>
      String.fromCharCode(...file.subarray(offset, offset + length)),
    );
    expect(text).toEqual(['abc', 'de']);
  });

  it.each([
    ['is incomplete', [icc(1, 2, 'abc')]],
    ['is out of order', [icc(2, 2, 'abc'), icc(1, 2, 'de')]],
    ['contradicts its own length', [icc(1, 2, 'abc'), icc(2, 3, 'de')]],
    ['repeats a chunk', [icc(1, 1, 'abc'), icc(1, 1, 'abc')]],
    ['is FlashPix', [segment(0xe2, 'FPXR\0', 'abcdefghijk')]],
  ])('carry no profile when it %s', (_reason, chunks) => {
    expect(inspected('jpeg', jpeg(...chunks, frame([1]))).icc).toEqual([]);
  });

  it('make an image even when the file ends after the scan header', () => {
    expect(inspect(jpeg(frame([1]))).kind).toBe('image');
  });
});

describe('the scans of a JPEG', () => {
  const many = (count: number) =>
    jpeg(frame([1]), ...Array.from({ length: count }, () => scan), [0xff, 0xd9]);

  it('may be 500, not more', () => {
    expect(inspect(many(500)).kind).toBe('image');
    expect(inspect(many(501))).toMatchObject({
      kind: 'broken',
      detail: expect.stringMatching(/scans/),
    });
  });

  it('are not counted behind the end marker', () => {
    expect(inspect(bytes(many(400), many(400))).kind).toBe('image');
  });
});

describe('a JPEG that we refuse', () => {
  it.each([
    ['arithmetic coding', jpeg(frame([1], { code: 0xc9 })), /arithmetic/],
    ['the lossless process', jpeg(frame([1], { code: 0xc3 })), /Lossless/],
    ['a hierarchical frame', jpeg(frame([1], { code: 0xc5 })), /Hierarchical/],
    ['a DHP marker', jpeg(segment(0xde, 8)), /Hierarchical/],
    ['12 bits', jpeg(frame([1], { code: 0xc1, precision: 12 })), /12 bits/],
    ['no height', jpeg(frame([1], { height: 0 })), /DNL/],
    ['two components', jpeg(frame([1, 2])), /2 components/],
    ['JPEG-LS', jpeg(segment(0xf7, 8)), /JPEG-LS/],
  ])('for a feature: %s', (_what, file, detail) => {
    expect(inspect(file)).toEqual({
      kind: 'unsupported-feature',
      detail: expect.stringMatching(detail),
    });
  });

  it.each([
    ['nothing but a start', bytes(soi)],
    ['no frame before the scan', jpeg(jfif)],
    ['an end before the scan', bytes(soi, jfif, 0xff, 0xd9)],
    ['two frames', jpeg(frame([1]), frame([1]))],
    ['two starts', jpeg(soi, frame([1]))],
    ['no width', jpeg(frame([1], { width: 0 }))],
    ['a segment past the end', bytes(soi, 0xff, 0xe1, 0xff, 0xff, 0, 0)],
    ['a segment shorter than its length', bytes(soi, 0xff, 0xdb, 0, 1, frame([1]), scan)],
    ['a sampling factor of 0', jpeg(segment(0xc0, 8, be16(1), be16(1), 1, 1, 0x01, 0))],
    ['quantization table 4', jpeg(segment(0xc0, 8, be16(1), be16(1), 1, 1, 0x11, 4))],
    ['a short quantization table', jpeg(segment(0xdb, 0, 1, 2, 3), frame([1]))],
    ['a frame of the wrong length', jpeg(segment(0xc0, 8, be16(1), be16(1), 3, 1, 0x11, 0))],
    ['an unknown marker', jpeg(segment(0x02, 0), frame([1]))],
  ])('as broken: %s', (_what, file) => {
    expect(inspect(file).kind).toBe('broken');
  });
});

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect, uprightSize } from '../../../../../src/image/formats/registry.ts';
import { be16, be32, bytes, inspected, type Part } from '../byte-writing.ts';

function box(type: string, ...parts: Part[]): Uint8Array {
  const data = bytes(...parts);
  return bytes(be32(data.length + 8), type, data);
}

function fullBox(type: string, version: number, ...parts: Part[]): Uint8Array {
  return box(type, version, 0, 0, 0, ...parts);
}

const ispe = (width: number, height: number) => fullBox('ispe', 0, be32(width), be32(height));
const av1C = (bits: number) => box('av1C', 0x81, 0, bits, 0);
const nclx = box('colr', 'nclx', be16(9), be16(16), be16(9), 0x80);
const profile = box('colr', 'prof', 'a profile');
const auxC = (urn: string) => fullBox('auxC', 0, urn, 0);
const alpha = auxC('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha');
const clap = (...numbers: number[]) => box('clap', numbers.flatMap(be32));
const reference = (type: string, from: number, ...to: number[]) =>
  box(type, be16(from), be16(to.length), to.flatMap(be16));

interface Item {
  readonly type: string;
  readonly properties: readonly Uint8Array[];
}

interface Parts {
  readonly brands?: readonly string[];
  readonly items: readonly Item[];
  readonly references?: readonly Uint8Array[];
  readonly essential?: boolean;
  readonly after?: readonly Uint8Array[];
}

/** Items get the ids 1, 2, …, the first is the primary one. */
function avif({
  brands = ['avif', 'mif1'],
  items,
  references = [],
  essential = false,
  after,
}: Parts) {
  const properties = items.flatMap((item) => item.properties);
  const associations = items.map((item, i) => {
    const first = items.slice(0, i).reduce((sum, { properties: own }) => sum + own.length, 1);
    const indices = item.properties.map((_, j) => (first + j) | (essential ? 0x80 : 0));
    return bytes(be16(i + 1), indices.length, indices);
  });
  const entries = items.map(({ type }, i) => fullBox('infe', 2, be16(i + 1), 0, 0, type, 0));
  const [major = '', ...compatible] = brands;
  return bytes(
    box('ftyp', major, be32(0), ...compatible),
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, be32(0), 'pict', new Uint8Array(13)),
      fullBox('pitm', 0, be16(1)),
      fullBox('iinf', 0, be16(items.length), ...entries),
      fullBox('iref', 0, ...references),
      box(
        'iprp',
        box('ipco', ...properties),
        fullBox('ipma', 0, be32(items.length), ...associations),
      ),
    ),
    ...(after ?? [box('mdat', 'coded')]),
  );
}

const coded = (...more: Uint8Array[]): Item => ({
  type: 'av01',
  properties: [ispe(60, 40), av1C(0x0c), ...more],
});
const still = (...more: Uint8Array[]) => avif({ items: [coded(...more)] });
const red = { create: { width: 70, height: 50, channels: 4, background: '#ff000080' } } as const;

describe('an AVIF made by an encoder', () => {
  it('has its size, alpha and chroma', async () => {
    const file = await sharp(red).avif({ chromaSubsampling: '4:2:0' }).toBuffer();
    expect(inspected('avif', file)).toMatchObject({
      width: 70,
      height: 50,
      bitDepth: 8,
      hasAlpha: true,
      isGrey: false,
      frames: 1,
      orientation: 1,
      icc: [],
      chroma: '420',
      rotation: 0,
      mirror: 'none',
      cleanAperture: null,
      isGrid: false,
    });
  });

  it('can be opaque 4:4:4 with a profile', async () => {
    const file = await sharp(red)
      .removeAlpha()
      .withIccProfile('p3')
      .avif({ chromaSubsampling: '4:4:4' })
      .toBuffer();
    const image = inspected('avif', file);
    const [range] = image.icc;
    const { icc } = await sharp(file).metadata();
    expect(image).toMatchObject({ hasAlpha: false, chroma: '444' });
    expect(file.subarray(range?.offset, (range?.offset ?? 0) + (range?.length ?? 0))).toEqual(icc);
  });
});

describe('the properties of an AVIF', () => {
  it.each([
    [0x0c, { bitDepth: 8, chroma: '420', isGrey: false }],
    [0x08, { bitDepth: 8, chroma: '422', isGrey: false }],
    [0x40, { bitDepth: 10, chroma: '444', isGrey: false }],
    [0x7c, { bitDepth: 12, chroma: '400', isGrey: true }],
  ])('give depth and chroma by av1C bits %i', (bits, expected) => {
    const item = { type: 'av01', properties: [ispe(60, 40), av1C(bits)] };
    expect(inspected('avif', avif({ items: [item] }))).toMatchObject(expected);
  });

  it('give code points and profile side by side', () => {
    const file = still(nclx, profile);
    const image = inspected('avif', file);
    expect(image.nclx).toEqual({ primaries: 9, transfer: 16, matrix: 9, fullRange: true });
    const [range] = image.icc;
    expect(range?.length).toBe(9);
    expect(new TextDecoder().decode(file.subarray(range?.offset)).startsWith('a profile')).toBe(
      true,
    );
    expect(inspected('avif', still())).toMatchObject({ nclx: null, icc: [] });
  });

  it('cut, turn and mirror the picture', () => {
    const image = inspected(
      'avif',
      still(clap(20, 1, 10, 1, -10, 2, 5, 1), box('irot', 1), box('imir', 1)),
    );
    expect(image).toMatchObject({
      width: 60,
      height: 40,
      rotation: 90,
      mirror: 'left-right',
      cleanAperture: { left: 15, top: 20, width: 20, height: 10 },
    });
    expect(uprightSize(image)).toEqual({ width: 10, height: 20 });
    expect(inspected('avif', still(box('imir', 0))).mirror).toBe('top-bottom');
    expect(uprightSize(inspected('avif', still(box('irot', 2))))).toEqual({
      width: 60,
      height: 40,
    });
  });

  it('may have a gain map beside it, which cannot go on', () => {
    const derived = { type: 'tmap', properties: [ispe(60, 40)] };
    const references = [reference('dimg', 3, 1, 2)];
    const file = avif({ items: [coded(), coded(), derived], references });
    expect(inspected('avif', file).gainMap).toBe('bound');
    expect(inspected('avif', avif({ items: [coded(), coded()] })).gainMap).toBeUndefined();
  });

  it.each([
    ['outside of it', clap(60, 1, 40, 1, 1, 1, 0, 1)],
    ['by a fraction of zero', clap(60, 0, 40, 1, 0, 1, 0, 1)],
    ['through pixels', clap(59, 1, 40, 1, 0, 1, 0, 1)],
  ])('do not cut the picture %s, as in browsers', (_where, aperture) => {
    expect(inspected('avif', still(aperture)).cleanAperture).toBeNull();
  });

  it('of an auxiliary item make the picture transparent when its type is alpha', () => {
    const withAuxiliary = (kind: Uint8Array) =>
      avif({ items: [coded(), coded(kind)], references: [reference('auxl', 2, 1)] });
    expect(inspected('avif', withAuxiliary(alpha)).hasAlpha).toBe(true);
    expect(inspected('avif', withAuxiliary(auxC('urn:mpeg:hevc:2015:auxid:1'))).hasAlpha).toBe(
      true,
    );
    expect(inspected('avif', withAuxiliary(auxC('urn:mpeg:hevc:2015:auxid:2'))).hasAlpha).toBe(
      false,
    );
    expect(inspected('avif', avif({ items: [coded(), coded(alpha)] })).hasAlpha).toBe(false);
  });
});

describe('an AVIF grid', () => {
  const grid: Item = { type: 'grid', properties: [ispe(120, 40)] };

  it('takes its size from itself, its coding from its tiles', () => {
    const file = avif({
      items: [grid, coded(), coded()],
      references: [reference('dimg', 1, 2, 3)],
    });
    expect(inspected('avif', file)).toMatchObject({
      width: 120,
      height: 40,
      isGrid: true,
      chroma: '420',
      hasAlpha: false,
    });
  });

  it('is transparent when its tiles are', () => {
    const references = [reference('auxl', 3, 2), reference('dimg', 1, 2)];
    const file = avif({ items: [grid, coded(), coded(alpha)], references });
    expect(inspected('avif', file).hasAlpha).toBe(true);
  });

  it('is broken without tiles', () => {
    expect(inspect(avif({ items: [grid] })).kind).toBe('broken');
  });
});

describe('an AVIF sequence', () => {
  const moov = (samples: number) => {
    const sizes = fullBox('stsz', 0, be32(0), be32(samples));
    return box('moov', box('trak', box('mdia', box('minf', box('stbl', sizes)))));
  };

  it('counts the samples of its longest track, one sample as two frames', () => {
    const file = (samples: number) =>
      avif({ brands: ['avis', 'avif'], items: [coded()], after: [moov(samples)] });
    expect(inspected('avif', file(24)).frames).toBe(24);
    expect(inspected('avif', file(1)).frames).toBe(2);
  });

  it('needs the brand and the track', () => {
    expect(inspected('avif', avif({ items: [coded()], after: [moov(24)] })).frames).toBe(1);
    expect(inspected('avif', avif({ brands: ['avis'], items: [coded()] })).frames).toBe(1);
  });

  it('is not supported without a still picture', () => {
    const file = bytes(box('ftyp', 'avis', be32(0)), moov(24));
    expect(inspect(file).kind).toBe('unsupported-feature');
  });
});

describe('the boxes of an AVIF', () => {
  it('may have 64-bit sizes, go to the end of the file, and be followed by garbage', () => {
    const whole = avif({ items: [coded()], after: [] });
    const wide = bytes(be32(1), 'free', be32(0), be32(18), 'xx');
    const ftypLength = 24 - 4;
    const moved = bytes(whole.subarray(0, ftypLength), wide, whole.subarray(ftypLength));
    expect(inspected('avif', moved).width).toBe(60);
    expect(inspect(bytes(whole, be32(0), 'mdat', 'to the end')).kind).toBe('image');
    expect(inspect(bytes(whole, 'trailing garbage')).kind).toBe('image');
  });
});

describe('an AVIF that we refuse', () => {
  const whole = still();

  it.each([
    ['states more media data than there are, and no place for them', whole.subarray(0, -1)],
    ['ends inside its description', whole.subarray(0, 100)],
    ['has no description', bytes(box('ftyp', 'avif', be32(0)))],
    ['has a box of size 4', bytes(box('ftyp', 'avif', be32(0)), be32(4), 'meta')],
    ['has no size', avif({ items: [{ type: 'av01', properties: [av1C(0)] }] })],
    ['has zero width', avif({ items: [{ type: 'av01', properties: [ispe(0, 4), av1C(0)] }] })],
    ['has no coding', avif({ items: [{ type: 'av01', properties: [ispe(4, 4)] }] })],
  ])('as broken: it %s', (_reason, file) => {
    expect(inspect(file).kind).toBe('broken');
  });

  it.each([
    ['another derivation', avif({ items: [{ type: 'iovl', properties: [] }] }), /iovl/],
    [
      'an unknown essential property',
      avif({ items: [coded(box('abcd'))], essential: true }),
      /abcd/,
    ],
  ])('for a feature: %s', (_what, file, detail) => {
    expect(inspect(file)).toEqual({
      kind: 'unsupported-feature',
      detail: expect.stringMatching(detail),
    });
  });

  it('is not one when an unknown property is not essential', () => {
    expect(inspect(still(box('abcd'))).kind).toBe('image');
  });
});

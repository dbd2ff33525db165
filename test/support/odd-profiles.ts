import {
  codePoints,
  displayP3Profile,
  falseSrgbProfile,
  gammaCurve,
  matrixProfile,
  sampledCurve,
  srgbCurve,
  type Tag,
} from './icc.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const words = (...values: number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [value >>> 24, value >>> 16, value >>> 8, value]));
const join = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

/** `mft1` (ICC.1:2022 §10.11) from three channels to three, with this many grid points. */
function lookupTable(gridPoints: number): Tag {
  const entries = 2 * 3 * 256 + 3 * gridPoints ** 3;
  const head = [text('mft1'), words(0), Uint8Array.of(3, 3, gridPoints, 0)];
  return join(
    ...head,
    words(65536, 0, 0, 0, 65536, 0, 0, 0, 65536),
    new Uint8Array(entries).fill(99),
  );
}

/** `mAB ` or `mBA ` (ICC.1:2022 §10.12) of three curves alone. */
function curvesTable(type: 'mAB ' | 'mBA ', ...curves: readonly Tag[]): Tag {
  return join(text(type), words(0), Uint8Array.of(3, 3, 0, 0), words(32, 0, 0, 0, 0), ...curves);
}

/** A copy of Display P3 in which a tag or the header is written over, at an offset within it. */
function overwritten(place: string, offset: number, ...bytes: number[]): Uint8Array<ArrayBuffer> {
  const icc = displayP3Profile();
  const entry = Buffer.from(icc).indexOf(place, 132);
  const start = place === '' ? 0 : new DataView(icc.buffer).getUint32(entry + 4);
  icc.set(bytes, start + offset);
  return icc;
}

/** A copy of Display P3 in which a number of 32 bits in a tag's entry of the table is another. */
function relocated(place: string, field: 'signature' | 'offset' | 'length', value: number) {
  const icc = displayP3Profile();
  const at = { signature: 0, offset: 4, length: 8 }[field];
  new DataView(icc.buffer).setUint32(Buffer.from(icc).indexOf(place, 132) + at, value);
  return icc;
}

const withTable = (signature: string, tag: Tag): Uint8Array<ArrayBuffer> =>
  matrixProfile({
    ...{ name: 'Tables', primaries: 'displayP3', curve: srgbCurve() },
    extraTags: { [signature]: tag },
  });

/** Profiles for RGB that color engines do not accept, by what is wrong with them. */
export const unacceptedProfiles: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'a red curve that is missing': relocated('rTRC', 'signature', 0x78787878),
  'a colorant that is missing': relocated('gXYZ', 'signature', 0x78787878),
  'a curve of another type': overwritten('gTRC', 0, ...text('text')),
  'a curve of an unknown function': overwritten('rTRC', 9, 5),
  'a curve that falls': overwritten('rTRC', 12, 0xff, 0xff),
  'a curve that is cut short': relocated('bTRC', 'length', 20),
  'a curve of more samples than bytes': matrixProfile({
    ...{ name: 'Long', primaries: 'displayP3' },
    curve: sampledCurve(16, (code) => code).slice(0, 40),
  }),
  'a colorant of another type': overwritten('rXYZ', 0, ...text('xyz ')),
  'a colorant that is cut short': relocated('bXYZ', 'length', 16),
  'a tag behind its end': relocated('desc', 'offset', 1_000_000),
  'a tag without a type': relocated('wtpt', 'length', 3),
  'an end that is missing': displayP3Profile().slice(0, -40),
  'a size beyond its end': overwritten('', 0, 0, 1, 0, 0),
  'more tags than it can hold': overwritten('', 128, 0, 0, 1, 0),
  'a version to come': overwritten('', 8, 5),
  'a connection space of other colors': overwritten('', 20, ...text('RGB ')),
  'another illuminant': overwritten('', 68, 0, 0, 0xf3, 0x54),
  'a lookup table that is cut short': withTable('A2B0', lookupTable(3).slice(0, -1)),
  'a lookup table of single points': withTable('A2B1', lookupTable(1)),
  'a lookup table of another type': withTable('B2A0', srgbCurve()),
  'a lookup table with a curve too few': withTable(
    'A2B0',
    curvesTable('mAB ', gammaCurve(2), srgbCurve()),
  ),
  'a lookup table that ends in a curve without its padding': withTable(
    'A2B0',
    curvesTable('mAB ', srgbCurve(), srgbCurve(), gammaCurve(2)),
  ),
  'code points that are cut short': withTable('cicp', codePoints(12, 13).slice(0, 11)),
};

/** Profiles for RGB that color engines accept, though programs may stumble over them. */
export const acceptedProfiles: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'curves and colorants': displayP3Profile(),
  'a gamma': falseSrgbProfile(),
  'samples of a curve': matrixProfile({
    ...{ name: 'Samples', primaries: 'displayP3' },
    curve: sampledCurve(64, (code) => code ** 2),
  }),
  'a lookup table': withTable('A2B0', lookupTable(2)),
  'lookup tables in both directions': matrixProfile({
    ...{ name: 'Both', primaries: 'displayP3', curve: srgbCurve() },
    extraTags: {
      A2B1: curvesTable('mAB ', gammaCurve(2), new Uint8Array(2), srgbCurve(), srgbCurve()),
      B2A1: curvesTable('mBA ', srgbCurve(), srgbCurve(), srgbCurve()),
    },
  }),
  'a lookup table for saturation, which is not read': withTable('A2B2', srgbCurve()),
  'code points': withTable('cicp', codePoints(12, 13)),
  'a name of another type': overwritten('desc', 0, ...text('none')),
  'bytes after its end': join(displayP3Profile(), new Uint8Array(8)),
};

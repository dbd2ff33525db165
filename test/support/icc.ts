import { crc32, deflateSync } from 'node:zlib';

/** Contents of a tag, including its type signature. */
export type Tag = Uint8Array;

/** Chromaticities adapted to D50 (Bradford), as stated in profiles. */
const colorants = {
  srgb: {
    r: [0.43607, 0.22249, 0.01392],
    g: [0.38515, 0.71687, 0.09708],
    b: [0.14307, 0.06061, 0.7141],
  },
  displayP3: {
    r: [0.51512, 0.2412, -0.00105],
    g: [0.29198, 0.69225, 0.04189],
    b: [0.1571, 0.06657, 0.78407],
  },
} as const;

interface MatrixProfile {
  readonly name: string;
  readonly primaries: keyof typeof colorants;
  readonly curve: Tag;
  /** Added to the X of the first colorant. */
  readonly shift?: number;
  readonly extraTags?: Readonly<Record<string, Tag>>;
}

/** IEC 61966-2-1 as a parametric curve of type 3. */
export const srgbCurve = (): Tag =>
  parametric(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045);

export const gammaCurve = (gamma: number): Tag => curv([Math.round(gamma * 256)]);

/** Samples `light` at even steps of the code value; both range from 0 to 1. */
export function sampledCurve(size: number, light: (code: number) => number): Tag {
  return curv(Array.from({ length: size }, (_, i) => Math.round(light(i / (size - 1)) * 65535)));
}

export function parametric(type: number, ...parameters: number[]): Tag {
  return join(text('para'), words(0), halves(type, 0), fixed(...parameters));
}

export function matrixProfile(options: MatrixProfile): Uint8Array<ArrayBuffer> {
  const { r, g, b } = colorants[options.primaries];
  const [x, y, z] = r;
  return profile('RGB ', {
    desc: description(options.name),
    rXYZ: xyz(x + (options.shift ?? 0), y, z),
    gXYZ: xyz(...g),
    bXYZ: xyz(...b),
    rTRC: options.curve,
    gTRC: options.curve,
    bTRC: options.curve,
    ...options.extraTags,
  });
}

export const srgbProfile = (): Uint8Array<ArrayBuffer> =>
  matrixProfile({ name: 'By any other name', primaries: 'srgb', curve: srgbCurve() });

/** A profile that some cameras embed: named "sRGB", but with a pure gamma. */
export const falseSrgbProfile = (): Uint8Array<ArrayBuffer> =>
  matrixProfile({ name: 'sRGB IEC61966-2.1', primaries: 'srgb', curve: gammaCurve(2.2) });

export const displayP3Profile = (): Uint8Array<ArrayBuffer> =>
  matrixProfile({ name: 'Display P3', primaries: 'displayP3', curve: srgbCurve() });

export const greyProfile = (curve: Tag = gammaCurve(2.2)): Uint8Array<ArrayBuffer> =>
  profile('GRAY', { desc: description('Grey'), kTRC: curve });

/** A gray profile whose curve gives lightness instead of luminance. */
export function greyLabProfile(curve: Tag): Uint8Array<ArrayBuffer> {
  const icc = greyProfile(curve);
  icc.set(text('Lab '), 20);
  return icc;
}

/** A profile for samples of this color space ("CMYK", "Lab ") that does not describe them. */
export const emptyProfile = (space: string): Uint8Array<ArrayBuffer> =>
  profile(space, { desc: description('Empty') });

/** Contents of a `cicp` tag (ICC.1:2022 §10.3), full range. */
export const codePoints = (primaries: number, transfer: number): Tag =>
  join(text('cicp'), words(0), Uint8Array.of(primaries, transfer, 0, 1));

/** A profile of at least this many bytes: Display P3 with an incompressible private tag. */
export function largeProfile(bytes: number): Uint8Array<ArrayBuffer> {
  let state = 1;
  const noise = Uint8Array.from({ length: bytes }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 24;
  });
  const extraTags = { PAD0: join(text('data'), words(0), noise) };
  return matrixProfile({ name: 'Large', primaries: 'displayP3', curve: srgbCurve(), extraTags });
}

/** Adds a profile to a PNG without one, directly after the header. */
export function withPngProfile(png: Uint8Array, icc: Uint8Array): Uint8Array<ArrayBuffer> {
  const headerEnd = 8 + 25;
  const content = join(text('iCCPtest\0\0'), deflateSync(icc));
  const chunk = join(words(content.length - 4), content, words(crc32(content)));
  return join(png.subarray(0, headerEnd), chunk, png.subarray(headerEnd));
}

/** ICC.1:2001-04 (version 2) display profile: header, tag table, and tags at multiples of four. */
export function profile(
  space: string,
  tags: Readonly<Record<string, Tag>>,
): Uint8Array<ArrayBuffer> {
  const all = Object.entries({ ...tags, wtpt: xyz(0.9642, 1, 0.8249), cprt: copyright() });
  const table: Uint8Array[] = [words(all.length)];
  const contents: Uint8Array[] = [];
  let offset = 128 + 4 + 12 * all.length;
  for (const [signature, tag] of all) {
    const padded = join(tag, new Uint8Array((4 - (tag.length % 4)) % 4));
    table.push(text(signature), words(offset, tag.length));
    contents.push(padded);
    offset += padded.length;
  }
  const header = join(
    ...[words(offset, 0, 0x02400000), text('mntr'), text(space), text('XYZ ')],
    ...[halves(2026, 1, 1, 0, 0, 0), text('acsp'), new Uint8Array(28)],
    ...[fixed(0.9642, 1, 0.8249), new Uint8Array(48)],
  );
  return join(header, ...table, ...contents);
}

function description(name: string): Tag {
  return join(text('desc'), words(0, name.length + 1), text(name), new Uint8Array(1 + 8 + 3 + 67));
}

const copyright = (): Tag => join(text('text'), words(0), text('None\0'));
const xyz = (...values: readonly number[]): Tag => join(text('XYZ '), words(0), fixed(...values));
const curv = (values: readonly number[]): Tag =>
  join(text('curv'), words(0, values.length), halves(...values));
export const text = (value: string): Uint8Array => new TextEncoder().encode(value);
export const fixed = (...values: number[]): Uint8Array =>
  words(...values.map((v) => Math.round(v * 65536)));
export const halves = (...values: number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 0xff]));
export const words = (...values: number[]): Uint8Array =>
  halves(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
export const join = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => [...part]));

const chunkBytes = 65_000;

/** A JPEG with this ICC profile directly after its start (ICC.1:2010 annex B.4); existing profiles stay. */
export function withJpegProfile(file: Uint8Array, icc: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = Math.ceil(icc.length / chunkBytes);
  const segments = Array.from({ length: count }, (_, i) => {
    const chunk = icc.subarray(i * chunkBytes, (i + 1) * chunkBytes);
    const length = 2 + 14 + chunk.length;
    const head = Buffer.from([0xff, 0xe2, length >> 8, length & 0xff]);
    return Buffer.concat([head, Buffer.from('ICC_PROFILE\0'), Buffer.from([i + 1, count]), chunk]);
  });
  return Uint8Array.from(
    Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)] as Uint8Array[]),
  );
}

import { crc32, deflateSync } from 'node:zlib';
import { ByteCursor } from '../inspect/byte-cursor.ts';
import { pngColorChunks } from '../inspect/inspection.ts';
import { assemble } from './assemble.ts';
import { ascii, joinBytes, sameBytes } from './byte-strings.ts';
import { ContainerError } from './container-error.ts';
import { iccProfile } from './icc-profile.ts';
import { orientationBlock } from './orientation-block.ts';
import type { Appearance, Rewrapper } from './rewrapper.ts';

interface Chunk {
  readonly type: string;
  /** File offset of its length. */
  readonly start: number;
  /** With length, type and checksum. */
  readonly bytes: Uint8Array;
}

const signatureBytes = 8;

/** Length, type and checksum. */
const emptyChunkBytes = 12;

/**
 * Besides the colour chunks: the picture itself (§11.2), transparency (§11.3.1), animation (§11.3.6),
 * and what a tone mapper for HDR is told (§11.3.2.7 and 8).
 */
const pictureChunks: ReadonlySet<string> = new Set([
  ...['PLTE', 'IDAT', 'tRNS', 'acTL', 'fcTL', 'fdAT', 'mDCV', 'cLLI'],
]);

/** They count only before PLTE and IDAT, and the first of each kind, as in libpng. */
const colorChunks: ReadonlySet<string> = new Set([...pngColorChunks, 'cHRM']);

/**
 * Keeps the critical chunks and those ancillary ones that change what a decoder shows; pHYs only for
 * pixels that are not square. sBIT and bKGD go: no browser looks at them. A profile and an
 * orientation come right after IHDR; the file's own iCCP chunk stays as it is when it holds the same
 * profile.
 *
 * A missing IEND is added when that makes the copy no longer than the file.
 * Source: PNG third edition §5 and §11.
 */
export const rewrapPng: Rewrapper = (image, file, appearance) => {
  const { orientation } = appearance;
  const own = iccProfile(image, file);
  const ownChunk = { profile: own, offset: image.icc[0]?.offset ?? 0 };
  const profile = profileChunk(file, ownChunk, appearance);
  const keptColors = effectiveColors(file, own, appearance);

  return assemble((sink) => {
    sink.write(file.subarray(0, signatureBytes));
    const colors = new Set<string>();
    let isEarly = true;
    let hasEnd = false;
    for (const { type, bytes } of chunks(file)) {
      if (type === 'PLTE' || type === 'IDAT') isEarly = false;
      if (type === 'IHDR') {
        sink.write(bytes);
        if (profile) sink.write(profile);
        if (orientation !== 1) sink.write(chunk('eXIf', orientationBlock(orientation)));
      } else if (type === 'IEND') {
        hasEnd = true;
        sink.write(chunk('IEND', new Uint8Array()));
      } else if (colorChunks.has(type)) {
        if (isEarly && keptColors.has(type) && !colors.has(type)) sink.write(bytes);
        colors.add(type);
      } else if (pictureChunks.has(type) || (type === 'pHYs' && !hasSquarePixels(bytes))) {
        sink.write(bytes);
      }
    }
    if (!hasEnd && sink.position + emptyChunkBytes <= file.length) {
      sink.write(chunk('IEND', new Uint8Array()));
    }
  });
};

/**
 * The colour chunks to keep, so that the one in effect stays so (§4.3: cICP, iCCP, sRGB, then gAMA
 * with cHRM). Of those below a profile none is kept, the new one's or the old one's: when a profile
 * that is sRGB goes, an approximate gAMA beside it must not come into effect.
 */
function effectiveColors(
  file: Uint8Array,
  own: Uint8Array | null,
  { icc }: Appearance,
): ReadonlySet<string> {
  if (icc) return new Set(['cICP']);
  for (const { type } of chunks(file)) {
    if (type === 'PLTE' || type === 'IDAT') break;
    if (type === 'sRGB') return new Set(['cICP', 'sRGB']);
  }
  return own ? new Set(['cICP']) : new Set(['cICP', 'gAMA', 'cHRM']);
}

function profileChunk(
  file: Uint8Array,
  own: { readonly profile: Uint8Array | null; readonly offset: number },
  { icc }: Appearance,
): Uint8Array | null {
  if (!icc) return null;
  if (own.profile && sameBytes(own.profile, icc)) {
    for (const { start, bytes } of chunks(file)) {
      if (start + bytes.length > own.offset) return bytes;
    }
  }
  // §11.3.2.3: a name of at least one byte, its end, compression method 0, the zlib stream.
  return chunk('iCCP', ascii('ICC\0\0'), deflateSync(icc, { level: 9 }));
}

function* chunks(file: Uint8Array): Generator<Chunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const cursor = new ByteCursor(view, signatureBytes, view.byteLength);
  let hasImageData = false;
  while (cursor.remaining > 0) {
    // Less than a chunk after image data is what is left of a lost IEND.
    if (hasImageData && cursor.remaining < emptyChunkBytes) return;
    const start = cursor.position;
    const length = cursor.uint32();
    const type = cursor.text(4);
    cursor.skip(length + 4);
    if (cursor.overrun) throw new ContainerError('The PNG ends inside a chunk.');
    if (type === 'IDAT') hasImageData = true;
    yield { type, start, bytes: file.subarray(start, cursor.position) };
    if (type === 'IEND') return;
  }
}

function chunk(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const bytes = joinBytes(new Uint8Array(4), ascii(type), ...content, new Uint8Array(4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8 + length, crc32(bytes.subarray(4, 8 + length)));
  return bytes;
}

/** §11.3.4.3: pixels per unit along x and along y. Anything but nine bytes of content says nothing. */
function hasSquarePixels(pHYs: Uint8Array): boolean {
  if (pHYs.length !== 9 + emptyChunkBytes) return true;
  const view = new DataView(pHYs.buffer, pHYs.byteOffset, pHYs.byteLength);
  return view.getUint32(8) === view.getUint32(12);
}

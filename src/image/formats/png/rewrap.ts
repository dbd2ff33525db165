import { zlibSync } from 'fflate';
import { isAcceptedProfile } from '../../color/accepted-profile.ts';
import { profileSpace } from '../../color/icc-reader.ts';
import { ascii, assemble, type Build, joinBytes, sameBytes } from '../../container/assemble.ts';
import { iptcResource } from '../../metadata/iptc.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance } from '../inspection.ts';
import {
  chunkBytes,
  chunkContent,
  emptyChunkBytes,
  hasValidChecksum,
  type PngChunk,
  pngChunk,
  pngSignature,
  wholeChunks,
} from './chunks.ts';
import { pngProfile } from './color-chunks.ts';
import { type PngInspection, transparencyBytes } from './inspect.ts';
import { pngKeyword, rawProfile } from './metadata.ts';

/** Parameters for HDR tone mapping (§11.3.2.7 and 8). */
const hdrChunks: ReadonlySet<string> = new Set(['mDCV', 'cLLI']);

/** In a still, these would be additional pictures that are never shown (§11.3.6). */
const animationChunks: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);

/**
 * Copies the critical chunks, and those ancillary chunks that affect what a decoder shows; pHYs only for non-square
 * pixels. sBIT and bKGD are dropped: no browser uses them. The profile, EXIF, XMP and IPTC are written right after
 * IHDR; the file's own iCCP chunk is copied unchanged if it holds the same profile. Of tRNS, only what applies is
 * copied, because decoders differ in what they make of the rest.
 *
 * Image data that are cut off get a checksum, and a missing IEND is added, if the copy is then no longer than the file.
 * Source: PNG third edition §5 and §11.
 */
export const rewrapPng: Rewrapper<PngInspection> = (image, file, appearance) =>
  assemble(rewrappedPng(image, file, appearance));

/** Returns the function that writes what `rewrapPng` returns. */
export function rewrappedPng(
  image: PngInspection,
  file: Uint8Array,
  appearance: Appearance,
): Build {
  const { added, colors } = pngStatements(image, file, appearance);
  return (sink) => {
    sink.write(file.subarray(0, pngSignature.length));
    let hasData = false;
    let hasEnd = false;
    let paletteSize = 0;
    for (const chunk of wholeChunks(file)) {
      const { type } = chunk;
      if (type === 'IDAT') hasData = true;
      if (type === 'PLTE') paletteSize = image.paletteSize;
      if (type === 'IHDR') {
        sink.write(chunkBytes(file, chunk));
        for (const bytes of added) sink.write(bytes);
      } else if (type === 'IEND') {
        hasEnd = true;
        sink.write(pngChunk('IEND', new Uint8Array()));
      } else if (type === 'tRNS') {
        const length = hasData ? 0 : transparencyBytes(file, chunk, { ...image, paletteSize });
        const content = chunkContent(file, chunk).subarray(0, length);
        if (length > 0) sink.write(pngChunk('tRNS', content));
      } else if (
        colors.has(chunk.at) ||
        (type === 'PLTE' && !hasData) ||
        type === 'IDAT' ||
        (animationChunks.has(type) && image.frames > 1) ||
        describesPixels(file, chunk)
      ) {
        const bytes = chunkBytes(file, chunk);
        const fits = chunk.isWhole || sink.position + bytes.length <= file.length;
        sink.write(fits ? bytes : file.subarray(chunk.at));
      }
    }
    if (!hasEnd && sink.position + emptyChunkBytes <= file.length) {
      sink.write(pngChunk('IEND', new Uint8Array()));
    }
  };
}

/**
 * Returns the chunks between a new IHDR and a new PLTE when the picture of a still is encoded anew: everything that
 * defines its samples and its origin. One of each type (§5.6): a hostile file may have a million of them.
 * @throws ContainerError if the structure of the file cannot be read
 */
export function pngPreamble(
  image: PngInspection,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> {
  const { added, colors } = pngStatements(image, file, appearance);
  const kept = new Map<string, Uint8Array>();
  for (const chunk of wholeChunks(file)) {
    const { type, at } = chunk;
    if (type === 'IDAT') break;
    if (kept.has(type)) continue;
    if (colors.has(at) || describesPixels(file, chunk)) kept.set(type, chunkBytes(file, chunk));
  }
  return joinBytes(added, [...kept.values()]);
}

/**
 * Returns the chunks between IHDR and PLTE of a picture that was encoded from pixels.
 * @param original source file of the same size, if it was a PNG
 */
export function codedPreamble(
  { icc, metadata }: Appearance,
  original?: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const shape = original ? pixelShape(original) : [];
  return joinBytes(icc ? profileChunkOf(icc) : [], metadataChunks(metadata), shape);
}

/** The first chunk that declares non-square pixels. */
function pixelShape(file: Uint8Array): Uint8Array[] {
  for (const chunk of wholeChunks(file)) {
    if (chunk.type === 'IDAT') break;
    if (chunk.type === 'pHYs' && describesPixels(file, chunk)) return [chunkBytes(file, chunk)];
  }
  return [];
}

/** Whether a chunk describes light beyond white, or non-square pixels. */
function describesPixels(file: Uint8Array, chunk: PngChunk): boolean {
  if (chunk.type === 'pHYs') return !hasSquarePixels(chunkContent(file, chunk));
  return hdrChunks.has(chunk.type) && isUsable(file, chunk);
}

/** Content lengths of chunks of fixed length, in bytes (§11.3.2); chunks of another length are ignored. */
const fixedLengths: Readonly<Record<string, number>> = {
  cICP: 4,
  sRGB: 1,
  gAMA: 4,
  cHRM: 32,
  mDCV: 24,
  cLLI: 8,
};

/** The chunks besides the picture of a PNG that is written again (PNG third edition §11.3). */
interface PngStatements {
  /** Chunks right after IHDR: the profile, EXIF, XMP and IPTC. */
  readonly added: readonly Uint8Array[];
  /** File offsets of the chunks to copy because they define the meaning of samples. */
  readonly colors: ReadonlySet<number>;
}

/** Determines which of a file's own chunks are kept, and which are added. */
function pngStatements(
  image: PngInspection,
  file: Uint8Array,
  appearance: Appearance,
): PngStatements {
  const own = pngProfile(file, image.icc);
  const profile = profileChunk(
    file,
    { profile: own, offset: image.icc[0]?.offset ?? 0 },
    appearance,
  );
  const kept = effectiveColors(file, own !== null && isInEffect(image, own), appearance);
  return {
    added: [...(profile ? [profile] : []), ...metadataChunks(appearance.metadata)],
    colors: firstOfEach(file, kept),
  };
}

/** Only chunks before IDAT count, cICP only before PLTE, and the first of each kind (Chromium 156). */
function firstOfEach(file: Uint8Array, types: ReadonlySet<string>): ReadonlySet<number> {
  const places = new Map<string, number>();
  let hasPalette = false;
  for (const chunk of wholeChunks(file)) {
    const { type, at } = chunk;
    if (type === 'IDAT') break;
    hasPalette ||= type === 'PLTE';
    if (!types.has(type) || places.has(type) || (type === 'cICP' && hasPalette)) continue;
    if (isUsable(file, chunk)) places.set(type, at);
  }
  return new Set(places.values());
}

/**
 * The color chunks to keep, so that the one in effect stays in effect (§4.3: cICP, iCCP, sRGB, then gAMA with cHRM).
 * None below a profile is kept, whether it is the new or the old one: if an sRGB profile is dropped, an approximate
 * gAMA next to it must not come into effect.
 */
function effectiveColors(
  file: Uint8Array,
  hasProfile: boolean,
  { icc }: Appearance,
): ReadonlySet<string> {
  if (icc) return new Set(['cICP']);
  for (const chunk of wholeChunks(file)) {
    if (chunk.type === 'IDAT') break;
    if (chunk.type === 'sRGB' && isUsable(file, chunk)) return new Set(['cICP', 'sRGB']);
  }
  return hasProfile ? new Set(['cICP']) : new Set(['cICP', 'gAMA', 'cHRM']);
}

/** A profile for the other kind of samples has no effect (§11.3.2.3), nor has one that engines do not accept. */
function isInEffect({ isGrey }: PngInspection, profile: Uint8Array): boolean {
  return isGrey === (profileSpace(profile) === 'grey') && isAcceptedProfile(profile);
}

function profileChunk(
  file: Uint8Array,
  own: { readonly profile: Uint8Array | null; readonly offset: number },
  { icc }: Appearance,
): Uint8Array | null {
  if (!icc) return null;
  if (own.profile && sameBytes(own.profile, icc)) {
    for (const chunk of wholeChunks(file)) {
      if (chunk.next > own.offset) return chunkBytes(file, chunk);
    }
  }
  return profileChunkOf(icc);
}

/** §11.3.2.3: a name of at least one byte, its terminator, compression method 0, the zlib stream. */
function profileChunkOf(icc: Uint8Array): Uint8Array {
  return pngChunk('iCCP', ascii('ICC\0\0'), zlibSync(icc, { level: 9 }));
}

/** XMP is not deflated, so that programs that do not know PNG can find it (XMP part 3 §1.1.5). */
function metadataChunks({ exif, xmp, iptc, texts }: Metadata): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  if (texts?.author) chunks.push(textChunk(pngKeyword.author, texts.author));
  if (texts?.notice) chunks.push(textChunk(pngKeyword.notice, texts.notice));
  if (exif) chunks.push(pngChunk('eXIf', exif));
  // A keyword, not deflated, method 0, no language, no translated keyword.
  if (xmp) chunks.push(pngChunk('iTXt', ascii('XML:com.adobe.xmp\0\0\0\0\0'), xmp));
  if (iptc) {
    const text = rawProfile('iptc', iptcResource(iptc));
    const stream = zlibSync(text, { level: 9 });
    chunks.push(pngChunk('zTXt', ascii('Raw profile type iptc\0\0'), stream));
  }
  return chunks;
}

/**
 * Builds a text chunk that is not deflated, so that programs that do not know PNG can find it: `tEXt` if ISO 8859-1
 * suffices, otherwise `iTXt` without a language (§11.3.3.2 and 4).
 */
function textChunk(keyword: string, text: string): Uint8Array {
  if (/^[\n\x20-\x7e\xa0-\xff]*$/.test(text)) return pngChunk('tEXt', ascii(`${keyword}\0${text}`));
  return pngChunk('iTXt', ascii(`${keyword}\0\0\0\0\0`), new TextEncoder().encode(text));
}

/** Whether length and checksum are correct, for chunks of which inspection checks both. */
function isUsable(file: Uint8Array, chunk: PngChunk): boolean {
  const length = fixedLengths[chunk.type];
  if (length === undefined) return true;
  return chunk.end - chunk.start === length && hasValidChecksum(file, chunk);
}

/** §11.3.4.3: pixels per unit along x and along y. Content of any length but nine bytes is ignored. */
function hasSquarePixels(pHYs: Uint8Array): boolean {
  return pHYs.length !== 9 || sameBytes(pHYs.subarray(0, 4), pHYs.subarray(4, 8));
}

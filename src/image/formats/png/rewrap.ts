import { deflateSync } from 'node:zlib';
import { profileSpace } from '../../color/icc-reader.ts';
import { ascii, assemble, type Build, joinBytes, sameBytes } from '../../container/assemble.ts';
import { iptcResource } from '../../metadata/iptc.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance, Inspection } from '../inspection.ts';
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
import { pngKeyword, rawProfile } from './metadata.ts';

/** What a tone mapper for HDR is told (§11.3.2.7 and 8). */
const hdrChunks: ReadonlySet<string> = new Set(['mDCV', 'cLLI']);

/** In a still they would be further pictures that nobody sees (§11.3.6). */
const animationChunks: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);

/**
 * Keeps the critical chunks and those ancillary ones that change what a decoder shows; pHYs only for
 * pixels that are not square. sBIT and bKGD go: no browser looks at them. The profile, EXIF, XMP and
 * IPTC come right after IHDR; the file's own iCCP chunk stays as it is when it holds the same profile.
 *
 * A missing IEND is added when that makes the copy no longer than the file.
 * Source: PNG third edition §5 and §11.
 */
export const rewrapPng: Rewrapper = (image, file, appearance) =>
  assemble(rewrappedPng(image, file, appearance));

/** What `rewrapPng` writes, not written yet. */
export function rewrappedPng(image: Inspection, file: Uint8Array, appearance: Appearance): Build {
  const { added, colors } = pngStatements(image, file, appearance);
  return (sink) => {
    sink.write(file.subarray(0, pngSignature.length));
    let hasData = false;
    let hasEnd = false;
    for (const chunk of wholeChunks(file)) {
      const { type } = chunk;
      if (type === 'IDAT') hasData = true;
      if (type === 'IHDR') {
        sink.write(chunkBytes(file, chunk));
        for (const bytes of added) sink.write(bytes);
      } else if (type === 'IEND') {
        hasEnd = true;
        sink.write(pngChunk('IEND', new Uint8Array()));
      } else if (
        colors.has(chunk.at) ||
        type === 'PLTE' ||
        type === 'IDAT' ||
        (type === 'tRNS' && !hasData) ||
        (animationChunks.has(type) && image.frames > 1) ||
        describesPixels(file, chunk)
      ) {
        sink.write(chunkBytes(file, chunk));
      }
    }
    if (!hasEnd && sink.position + emptyChunkBytes <= file.length) {
      sink.write(pngChunk('IEND', new Uint8Array()));
    }
  };
}

/**
 * All that says what the samples of a still mean and where it comes from: the chunks between a new
 * IHDR and a new PLTE, when its picture is coded anew. One of each type (§5.6): a hostile file has
 * a million of them.
 * @throws ContainerError if the structure of the file cannot be read
 */
export function pngPreamble(
  image: Inspection,
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
 * The chunks between IHDR and PLTE of a picture that was coded from pixels.
 * @param original the file of the same size that it was made of, where it was a PNG
 */
export function codedPreamble(
  { icc, metadata }: Appearance,
  original?: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const shape = original ? pixelShape(original) : [];
  return joinBytes(icc ? profileChunkOf(icc) : [], metadataChunks(metadata), shape);
}

/** The first chunk that says that pixels are not square. */
function pixelShape(file: Uint8Array): Uint8Array[] {
  for (const chunk of wholeChunks(file)) {
    if (chunk.type === 'IDAT') break;
    if (chunk.type === 'pHYs' && describesPixels(file, chunk)) return [chunkBytes(file, chunk)];
  }
  return [];
}

/** Light beyond white, and pixels that are not square. */
function describesPixels(file: Uint8Array, chunk: PngChunk): boolean {
  if (chunk.type === 'pHYs') return !hasSquarePixels(chunkContent(file, chunk));
  return hdrChunks.has(chunk.type) && isUsable(file, chunk);
}

/** What chunks of a fixed length hold, in bytes (§11.3.2); others of their name say nothing. */
const fixedLengths: Readonly<Record<string, number>> = {
  cICP: 4,
  sRGB: 1,
  gAMA: 4,
  cHRM: 32,
  mDCV: 24,
  cLLI: 8,
};

/** What a PNG says beside its picture when it is written again (PNG third edition §11.3). */
interface PngStatements {
  /** Chunks that come right behind IHDR: the profile, EXIF, XMP and IPTC. */
  readonly added: readonly Uint8Array[];
  /** File offsets of those chunks that go on because they say what samples mean. */
  readonly colors: ReadonlySet<number>;
}

/** What stays of a file's own statements, and what is added to them. */
function pngStatements(image: Inspection, file: Uint8Array, appearance: Appearance): PngStatements {
  const own = pngProfile(file, image.icc);
  const profile = profileChunk(
    file,
    { profile: own, offset: image.icc[0]?.offset ?? 0 },
    appearance,
  );
  const kept = effectiveColors(file, own !== null && isFor(image, own), appearance);
  return {
    added: [...(profile ? [profile] : []), ...metadataChunks(appearance.metadata)],
    colors: firstOfEach(file, kept),
  };
}

/** They count only before PLTE and IDAT, and the first of each kind, as in libpng. */
function firstOfEach(file: Uint8Array, types: ReadonlySet<string>): ReadonlySet<number> {
  const places = new Map<string, number>();
  for (const chunk of wholeChunks(file)) {
    const { type, at } = chunk;
    if (type === 'PLTE' || type === 'IDAT') break;
    if (types.has(type) && !places.has(type) && isUsable(file, chunk)) places.set(type, at);
  }
  return new Set(places.values());
}

/**
 * The color chunks to keep, so that the one in effect stays so (§4.3: cICP, iCCP, sRGB, then gAMA with cHRM). Of those
 * below a profile none is kept, the new one's or the old one's: when a profile that is sRGB goes, an approximate gAMA
 * beside it must not come into effect.
 */
function effectiveColors(
  file: Uint8Array,
  hasProfile: boolean,
  { icc }: Appearance,
): ReadonlySet<string> {
  if (icc) return new Set(['cICP']);
  for (const chunk of wholeChunks(file)) {
    if (chunk.type === 'PLTE' || chunk.type === 'IDAT') break;
    if (chunk.type === 'sRGB' && isUsable(file, chunk)) return new Set(['cICP', 'sRGB']);
  }
  return hasProfile ? new Set(['cICP']) : new Set(['cICP', 'gAMA', 'cHRM']);
}

/** A profile for the other kind of samples counts for nothing (§11.3.2.3). */
function isFor({ isGrey }: Inspection, profile: Uint8Array): boolean {
  return isGrey === (profileSpace(profile) === 'grey');
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

/** §11.3.2.3: a name of at least one byte, its end, compression method 0, the zlib stream. */
function profileChunkOf(icc: Uint8Array): Uint8Array {
  return pngChunk('iCCP', ascii('ICC\0\0'), deflateSync(icc, { level: 9 }));
}

/** XMP is not deflated, so that programs that know nothing of PNG find it (XMP part 3 §1.1.5). */
function metadataChunks({ exif, xmp, iptc, texts }: Metadata): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  if (texts?.author) chunks.push(textChunk(pngKeyword.author, texts.author));
  if (texts?.notice) chunks.push(textChunk(pngKeyword.notice, texts.notice));
  if (exif) chunks.push(pngChunk('eXIf', exif));
  // A keyword, not deflated, method 0, no language, no translated keyword.
  if (xmp) chunks.push(pngChunk('iTXt', ascii('XML:com.adobe.xmp\0\0\0\0\0'), xmp));
  if (iptc) {
    const text = rawProfile('iptc', iptcResource(iptc));
    const stream = deflateSync(text, { level: 9 });
    chunks.push(pngChunk('zTXt', ascii('Raw profile type iptc\0\0'), stream));
  }
  return chunks;
}

/**
 * Not deflated, so that programs that know nothing of PNG find it: `tEXt` as far as ISO 8859-1 goes, else `iTXt`
 * without a language (§11.3.3.2 and 4).
 */
function textChunk(keyword: string, text: string): Uint8Array {
  if (/^[\n\x20-\x7e\xa0-\xff]*$/.test(text)) return pngChunk('tEXt', ascii(`${keyword}\0${text}`));
  return pngChunk('iTXt', ascii(`${keyword}\0\0\0\0\0`), new TextEncoder().encode(text));
}

/** Of the right length and checksum, where inspection looks at both. */
function isUsable(file: Uint8Array, chunk: PngChunk): boolean {
  const length = fixedLengths[chunk.type];
  if (length === undefined) return true;
  return chunk.end - chunk.start === length && hasValidChecksum(file, chunk);
}

/** §11.3.4.3: pixels per unit along x and along y. Anything but nine bytes of content says nothing. */
function hasSquarePixels(pHYs: Uint8Array): boolean {
  return pHYs.length !== 9 || sameBytes(pHYs.subarray(0, 4), pHYs.subarray(4, 8));
}

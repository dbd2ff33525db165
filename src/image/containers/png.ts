import { crc32, deflateSync } from 'node:zlib';
import { profileSpace } from '../color/profile-space.ts';
import type { Inspection } from '../inspect/inspection.ts';
import { pngColorChunks } from '../inspect/inspection.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { assemble } from './assemble.ts';
import { ascii, sameBytes } from './byte-strings.ts';
import { iccProfile } from './icc-profile.ts';
import { iptcResource } from './photoshop-resources.ts';
import { emptyPngChunkBytes, pngChunk, pngChunks, pngSignatureBytes } from './png-chunks.ts';
import { rawProfile } from './png-raw-profile.ts';
import type { Appearance, Rewrapper } from './rewrapper.ts';

/**
 * Besides the colour chunks: the picture itself (§11.2), transparency (§11.3.1), animation (§11.3.6),
 * and what a tone mapper for HDR is told (§11.3.2.7 and 8).
 */
const pictureChunks: ReadonlySet<string> = new Set(['PLTE', 'IDAT', 'mDCV', 'cLLI']);

/** In a still they would be further pictures that nobody sees. */
const animationChunks: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);

/** They count only before PLTE and IDAT, and the first of each kind, as in libpng. */
const colorChunks: ReadonlySet<string> = new Set([...pngColorChunks, 'cHRM']);

/** What chunks of a fixed length hold, in bytes (§11.3.2); others of their name say nothing. */
const fixedLengths: Readonly<Record<string, number>> = {
  cICP: 4,
  sRGB: 1,
  gAMA: 4,
  cHRM: 32,
  mDCV: 24,
  cLLI: 8,
};

/**
 * Keeps the critical chunks and those ancillary ones that change what a decoder shows; pHYs only for
 * pixels that are not square. sBIT and bKGD go: no browser looks at them. The profile, EXIF, XMP and
 * IPTC come right after IHDR; the file's own iCCP chunk stays as it is when it holds the same profile.
 *
 * A missing IEND is added when that makes the copy no longer than the file.
 * Source: PNG third edition §5 and §11.
 */
export const rewrapPng: Rewrapper = (image, file, appearance) => {
  const own = iccProfile(image, file);
  const ownChunk = { profile: own, offset: image.icc[0]?.offset ?? 0 };
  const profile = profileChunk(file, ownChunk, appearance);
  const blocks = metadataChunks(appearance.metadata);
  const keptColors = effectiveColors(file, own !== null && isFor(image, own), appearance);

  return assemble((sink) => {
    sink.write(file.subarray(0, pngSignatureBytes));
    const colors = new Set<string>();
    let isEarly = true;
    let hasData = false;
    let hasEnd = false;
    for (const { type, bytes } of pngChunks(file)) {
      if (!isUsable(type, bytes)) continue;
      if (type === 'PLTE' || type === 'IDAT') isEarly = false;
      if (type === 'IDAT') hasData = true;
      if (type === 'IHDR') {
        sink.write(bytes);
        if (profile) sink.write(profile);
        for (const block of blocks) sink.write(block);
      } else if (type === 'IEND') {
        hasEnd = true;
        sink.write(pngChunk('IEND', new Uint8Array()));
      } else if (colorChunks.has(type)) {
        if (isEarly && keptColors.has(type) && !colors.has(type)) sink.write(bytes);
        colors.add(type);
      } else if (
        pictureChunks.has(type) ||
        (type === 'tRNS' && !hasData) ||
        (animationChunks.has(type) && image.frames > 1) ||
        (type === 'pHYs' && !hasSquarePixels(bytes))
      ) {
        sink.write(bytes);
      }
    }
    if (!hasEnd && sink.position + emptyPngChunkBytes <= file.length) {
      sink.write(pngChunk('IEND', new Uint8Array()));
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
  hasProfile: boolean,
  { icc }: Appearance,
): ReadonlySet<string> {
  if (icc) return new Set(['cICP']);
  for (const { type, bytes } of pngChunks(file)) {
    if (type === 'PLTE' || type === 'IDAT') break;
    if (type === 'sRGB' && isUsable(type, bytes)) return new Set(['cICP', 'sRGB']);
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
    for (const { start, bytes } of pngChunks(file)) {
      if (start + bytes.length > own.offset) return bytes;
    }
  }
  // §11.3.2.3: a name of at least one byte, its end, compression method 0, the zlib stream.
  return pngChunk('iCCP', ascii('ICC\0\0'), deflateSync(icc, { level: 9 }));
}

/** XMP is not deflated, so that programs that know nothing of PNG find it (XMP part 3 §1.1.5). */
function metadataChunks({ exif, xmp, iptc }: Metadata): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
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

/** Of the right length and checksum, where both are looked at: as inspection does. */
function isUsable(type: string, bytes: Uint8Array): boolean {
  const length = fixedLengths[type];
  if (length === undefined) return true;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    bytes.length === length + emptyPngChunkBytes &&
    crc32(bytes.subarray(4, -4)) === view.getUint32(bytes.length - 4)
  );
}

/** §11.3.4.3: pixels per unit along x and along y. Anything but nine bytes of content says nothing. */
function hasSquarePixels(pHYs: Uint8Array): boolean {
  if (pHYs.length !== 9 + emptyPngChunkBytes) return true;
  const view = new DataView(pHYs.buffer, pHYs.byteOffset, pHYs.byteLength);
  return view.getUint32(8) === view.getUint32(12);
}

import { ascii, joinBytes, startsWith } from '../../container/assemble.ts';
import { maxStatementBytes } from '../../metadata/exif-selection.ts';
import { readIptcResource } from '../../metadata/iptc.ts';
import {
  blockSignature,
  exifBlock,
  type Metadata,
  maxBlockBytes,
  metadataBlock,
  textOf,
} from '../../metadata/metadata.ts';
import type { Slices } from '../../slices.ts';
import { chunkContent, type PngChunk, wholeChunks } from './chunks.ts';
import { inflate, unpacked } from './kernel.ts';

/** Keyword of the `iTXt` chunk for XMP (XMP part 3 §1.1.5); libvips writes a `zTXt`. */
const xmpKeyword = 'XML:com.adobe.xmp';

/** Keywords of text chunks that name the owner and the author of a picture (PNG third edition §11.3.3.1). */
export const pngKeyword = { notice: 'Copyright', author: 'Author' } as const;
const rightsKeywords: readonly string[] = Object.values(pngKeyword);

/**
 * Kinds of raw profiles, which ImageMagick and exiftool wrote before PNG had a chunk for this metadata, or for metadata
 * for which it still has none.
 */
const rawKeywords = ['exif', 'APP1', 'xmp', 'iptc', '8bim'] as const;
type RawKind = (typeof rawKeywords)[number];

/** IPTC datasets begin with this tag marker (IPTC-IIM 4.2 §1.5). */
const iptcTagMarker = 0x1c;

/**
 * Reads EXIF from `eXIf`, XMP from its text chunk, IPTC and whatever is still missing from raw profiles, and rights
 * from texts. Only the first text chunk with each keyword counts, readable or not: each may inflate to `maxBlockBytes`,
 * and a file may contain any number of them.
 *
 * @throws ContainerError if the chunks cannot be read
 */
export function pngMetadata(file: Uint8Array): Metadata {
  let exif: Uint8Array | null = null;
  const texts = new Map<string, { type: PngTextType; content: Uint8Array }>();
  for (const chunk of wholeChunks(file)) {
    const { type } = chunk;
    if (type === 'eXIf') exif ??= exifBlock(chunkContent(file, chunk));
    if (!isPngTextType(type)) continue;
    const content = chunkContent(file, chunk);
    const keyword = pngTextKeyword(content);
    const isWanted =
      keyword === xmpKeyword || rightsKeywords.includes(keyword) || rawKind(keyword) !== undefined;
    if (isWanted && !texts.has(keyword)) texts.set(keyword, { type, content });
  }

  const packet = texts.get(xmpKeyword);
  const xmp = packet ? pngText(packet.type, packet.content, maxBlockBytes) : null;
  const raw = (kind: RawKind): Uint8Array | null => {
    const found = texts.get(`Raw profile type ${kind}`);
    const text = found && pngText(found.type, found.content, maxRawProfileLength);
    return text ? readRawProfile(text) : null;
  };
  const app1 = exif && xmp ? null : raw('APP1');
  const statement = (keyword: string): string | null => {
    const found = texts.get(keyword);
    const text = found && pngText(found.type, found.content, maxStatementBytes);
    if (!text || text.length > maxStatementBytes) return null;
    return textOf(text) || null;
  };
  const rights = { notice: statement(pngKeyword.notice), author: statement(pngKeyword.author) };
  const hasRights = rights.notice !== null || rights.author !== null;
  return {
    exif: exif ?? app1Exif(raw('exif')) ?? app1Exif(app1),
    xmp: (xmp && metadataBlock(xmp)) ?? raw('xmp') ?? app1Xmp(app1),
    iptc: rawIptc(raw('iptc')) ?? rawIptc(raw('8bim')),
    ...(hasRights && { texts: rights }),
  };
}

function rawKind(keyword: string): RawKind | undefined {
  return rawKeywords.find((kind) => keyword === `Raw profile type ${kind}`);
}

function app1Exif(block: Uint8Array | null): Uint8Array | null {
  return block && exifBlock(block);
}

/** The unchanged content of a JPEG's APP1 segment may be XMP as well as EXIF. */
function app1Xmp(block: Uint8Array | null): Uint8Array | null {
  if (!block || !startsWith(block, blockSignature.xmp)) return null;
  return metadataBlock(block.subarray(blockSignature.xmp.length));
}

/** Bare datasets, or those among Photoshop's image resources. */
function rawIptc(block: Uint8Array | null): Uint8Array | null {
  if (!block) return null;
  return block[0] === iptcTagMarker ? metadataBlock(block) : readIptcResource(block);
}

/** §11.3.3.1: 1 to 79 characters and a zero byte. */
const maxKeywordBytes = 79;

/** The three types of text chunk, which differ in what separates the keyword from the text. */
type PngTextType = 'tEXt' | 'zTXt' | 'iTXt';

function isPngTextType(type: string): type is PngTextType {
  return type === 'tEXt' || type === 'zTXt' || type === 'iTXt';
}

/** The keyword at the start of a text chunk; empty if there is none. */
function pngTextKeyword(content: Uint8Array): string {
  const end = content.subarray(0, maxKeywordBytes + 1).indexOf(0);
  return end < 0 ? '' : String.fromCharCode(...content.subarray(0, end));
}

/**
 * Returns the text of a text chunk, inflated if necessary; null if it is damaged, or inflates to more than
 * `maxTextBytes`. Source: PNG third edition §11.3.3.2–4.
 */
function pngText(type: PngTextType, content: Uint8Array, maxTextBytes: number): Uint8Array | null {
  const text = storedText(type, content);
  if (!text) return null;
  return text.isDeflated ? inflated(text.bytes, maxTextBytes) : text.bytes;
}

/** The text of a whole chunk as stored if it is deflated; null for any other chunk. */
export function deflatedPngText(file: Uint8Array, chunk: PngChunk): Uint8Array | null {
  const { type } = chunk;
  const text = isPngTextType(type) ? storedText(type, chunkContent(file, chunk)) : null;
  return text?.isDeflated ? text.bytes : null;
}

function storedText(
  type: PngTextType,
  content: Uint8Array,
): { readonly bytes: Uint8Array; readonly isDeflated: boolean } | null {
  const afterKeyword = content.indexOf(0) + 1;
  if (afterKeyword === 0) return null;
  if (type === 'tEXt') return { bytes: content.subarray(afterKeyword), isDeflated: false };
  if (type === 'zTXt') {
    const isDeflated = content[afterKeyword] === 0;
    return isDeflated ? { bytes: content.subarray(afterKeyword + 1), isDeflated } : null;
  }
  // A flag, the method, a language and a translated keyword, the latter two each followed by a zero byte.
  const [flag, method] = content.subarray(afterKeyword);
  const afterLanguage = content.indexOf(0, afterKeyword + 2) + 1;
  const start = afterLanguage === 0 ? 0 : content.indexOf(0, afterLanguage) + 1;
  if (start === 0 || flag === undefined || flag > 1 || (flag === 1 && method !== 0)) return null;
  return { bytes: content.subarray(start), isDeflated: flag === 1 };
}

function inflated(stream: Uint8Array, maxTextBytes: number): Uint8Array | null {
  // Stored data are hardly longer than the text.
  if (stream.length > 1.01 * maxTextBytes + 64) return null;
  const { content, isWhole } = inflate(stream, maxTextBytes);
  return isWhole ? content : null;
}

const lineFeed = 10;
const bytesPerLine = 36;

/** Maximum length of the head of a raw profile: the name of its kind and the length of the block. */
const maxHeadLength = 100;

/** Two digits per byte, and a line break after every 36 bytes. */
const maxRawProfileLength =
  maxHeadLength + maxBlockBytes * 2 + Math.ceil(maxBlockBytes / bytesPerLine) + 1;

/**
 * Returns the text of a `Raw profile type …` chunk: the name of the kind, the length, then the block in hexadecimal.
 * PNG has no chunk for IPTC; this is how ImageMagick and exiftool write and read it. Source: ImageMagick coders/png.c,
 * `Magick_png_write_raw_profile`.
 */
export function rawProfile(kind: string, block: Uint8Array): Uint8Array {
  const lines = Math.ceil(block.length / bytesPerLine);
  const text = new Uint8Array(block.length * 2 + lines);
  let at = 0;
  for (const [i, byte] of block.entries()) {
    text[at++] = digit(byte >> 4);
    text[at++] = digit(byte & 15);
    if (i % bytesPerLine === bytesPerLine - 1 || i === block.length - 1) text[at++] = lineFeed;
  }
  return joinBytes(ascii(`\n${kind}\n${String(block.length).padStart(8)}\n`), text);
}

/** Decodes the block of a raw profile text; null if it is damaged, empty or larger than `maxBlockBytes`. */
function readRawProfile(text: Uint8Array): Uint8Array | null {
  const head = String.fromCharCode(...text.subarray(0, maxHeadLength));
  const found = /^\n[^\n]*\n\s*(\d{1,8})\n/.exec(head);
  if (!found) return null;
  const length = Number(found[1]);
  if (length === 0 || length > maxBlockBytes || length * 2 > text.length) return null;
  const block = new Uint8Array(length);
  let digits = 0;
  for (let at = found[0].length; digits < length * 2; at++) {
    const code = text[at];
    if (code === undefined) return null;
    if (code === lineFeed) continue;
    const value = digitValue(code);
    if (value === undefined) return null;
    const byte = digits >> 1;
    block[byte] = ((block[byte] ?? 0) << 4) | value;
    digits++;
  }
  return block;
}

function digit(value: number): number {
  return value < 10 ? 0x30 + value : 0x61 + value - 10;
}

/** The value of a digit `0-9`, `a-f` or `A-F`. */
function digitValue(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined;
}

/** Maximum total inflated size of a file's texts: some hundred times as much as any real picture has. */
export const maxTextBytes = 32 * 1024 * 1024;

/**
 * Length of a deflated text in bytes up to which inflating it can do no harm: it stays below the limit, and cannot hold
 * many blocks.
 */
export const longTextBytes = 16 * 1024;

/**
 * Whether a PNG has deflated text chunks that are meant to exhaust a reader's memory or time: they inflate to more than
 * `maxTextBytes`, or have far more blocks than any encoder writes. Nothing here would inflate all of them; but such a
 * file was made to do harm, and is not handed on in any form. Short texts are not inflated, and damaged ones do not
 * count.
 *
 * @throws ContainerError if the chunks cannot be read
 */
export function* isTextBomb(file: Uint8Array): Slices<boolean> {
  let left = maxTextBytes;
  for (const chunk of wholeChunks(file)) {
    const stream = deflatedPngText(file, chunk);
    if (!stream || stream.length <= longTextBytes) continue;
    const { bytes, isExcessive } = yield* unpacked(stream, left);
    left -= bytes;
    if (left <= 0 || isExcessive) return true;
  }
  return false;
}

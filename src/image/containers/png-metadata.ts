import type { Metadata } from '../metadata/metadata.ts';
import { startsWith } from './byte-strings.ts';
import { jpegSignature } from './jpeg-signature.ts';
import { exifBlock, maximumBlockBytes, metadataBlock } from './metadata-block.ts';
import { readIptcResource } from './photoshop-resources.ts';
import { pngChunkContent, pngChunks } from './png-chunks.ts';
import { maximumRawProfileLength, readRawProfile } from './png-raw-profile.ts';
import { isPngTextType, type PngTextType, pngText, pngTextKeyword } from './png-text.ts';

/** Of an `iTXt` chunk (XMP part 3 §1.1.5); libvips writes a `zTXt`. */
const xmpKeyword = 'XML:com.adobe.xmp';

/** What ImageMagick and exiftool wrote before PNG had a chunk for it, and for what it still has none. */
const rawKeywords = ['exif', 'APP1', 'xmp', 'iptc', '8bim'] as const;
type RawKind = (typeof rawKeywords)[number];

/** IPTC datasets begin with their tag marker (IPTC-IIM 4.2 §1.5). */
const iptcTagMarker = 0x1c;

/**
 * EXIF from `eXIf`, XMP from its text chunk, IPTC and whatever is still missing from raw profiles. Of the text
 * chunks only the first with each keyword counts, readable or not: each may inflate to
 * `maximumBlockBytes`, and a file has room for any number of them.
 *
 * @throws ContainerError when the chunks cannot be read
 */
export function pngMetadata(file: Uint8Array): Metadata {
  let exif: Uint8Array | null = null;
  const texts = new Map<string, { type: PngTextType; content: Uint8Array }>();
  for (const chunk of pngChunks(file)) {
    const { type } = chunk;
    if (type === 'eXIf') exif ??= exifBlock(pngChunkContent(chunk));
    if (!isPngTextType(type)) continue;
    const content = pngChunkContent(chunk);
    const keyword = pngTextKeyword(content);
    const isWanted = keyword === xmpKeyword || rawKind(keyword) !== undefined;
    if (isWanted && !texts.has(keyword)) texts.set(keyword, { type, content });
  }

  const packet = texts.get(xmpKeyword);
  const xmp = packet ? pngText(packet.type, packet.content, maximumBlockBytes) : null;
  const raw = (kind: RawKind): Uint8Array | null => {
    const found = texts.get(`Raw profile type ${kind}`);
    const text = found && pngText(found.type, found.content, maximumRawProfileLength);
    return text ? readRawProfile(text) : null;
  };
  const app1 = exif && xmp ? null : raw('APP1');
  return {
    exif: exif ?? app1Exif(raw('exif')) ?? app1Exif(app1),
    xmp: (xmp && metadataBlock(xmp)) ?? raw('xmp') ?? app1Xmp(app1),
    iptc: rawIptc(raw('iptc')) ?? rawIptc(raw('8bim')),
  };
}

function rawKind(keyword: string): RawKind | undefined {
  return rawKeywords.find((kind) => keyword === `Raw profile type ${kind}`);
}

function app1Exif(block: Uint8Array | null): Uint8Array | null {
  return block && exifBlock(block);
}

/** A JPEG's APP1 content as it was, which may be XMP as well as EXIF. */
function app1Xmp(block: Uint8Array | null): Uint8Array | null {
  if (!block || !startsWith(block, jpegSignature.xmp)) return null;
  return metadataBlock(block.subarray(jpegSignature.xmp.length));
}

/** Bare datasets, or among image resources as Photoshop has them. */
function rawIptc(block: Uint8Array | null): Uint8Array | null {
  if (!block) return null;
  return block[0] === iptcTagMarker ? metadataBlock(block) : readIptcResource(block);
}

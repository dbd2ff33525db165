import { hasValidChecksum, pngChunks } from '../../../../src/image/formats/png/chunks.ts';
import type { MediaType } from '../images.ts';

// What decoding does not tell about a file: whether it ends where its image does. Decoders ignore what follows, some of
// them a missing end, and that of the engine the checksums of a PNG, without which others show nothing.

/** Whether a file ends with its image. Reads beyond the end of a file throw RangeErrors. */
const endings: Readonly<Record<MediaType, (file: Buffer) => boolean>> = {
  // EOI, maybe that of a gain map
  'image/jpeg': (file) => file.readUInt16BE(file.length - 2) === 0xffd9,
  'image/png': isOfSoundChunks,
  'image/webp': (file) => file.readUInt32LE(4) + 8 === file.length,
  'image/avif': (file) => boxesIn(file).length > 0,
  // the trailer
  'image/gif': (file) => file.readUInt8(file.length - 1) === 0x3b,
  'image/jxl': hasWholeCodestream,
};

export function endsWithImage(file: Buffer, type: MediaType): boolean {
  try {
    return endings[type](file);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function isOfSoundChunks(file: Buffer): boolean {
  const chunks = [...pngChunks(file)];
  const last = chunks.at(-1);
  const isSound = chunks.every((chunk) => chunk.isWhole && hasValidChecksum(file, chunk));
  return isSound && last?.type === 'IEND' && last.next === file.length;
}

/** A box of AVIF or JPEG XL (ISO/IEC 14496-12 §4.2). */
interface Box {
  readonly type: string;
  /** Where its contents begin. */
  readonly data: number;
}

/** @throws RangeError if the file is no row of boxes */
function boxesIn(file: Buffer): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at < file.length; ) {
    const stated = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const header = stated === 1 ? 16 : 8;
    const length =
      stated === 0
        ? file.length - at
        : stated === 1
          ? Number(file.readBigUInt64BE(at + 8))
          : stated;
    if (length < header || at + length > file.length) throw new RangeError('a box is cut short');
    boxes.push({ type, data: at + header });
    at += length;
  }
  return boxes;
}

/** The signature of a codestream (ISO/IEC 18181-1 §D.1). */
const codestream = 0xff0a;

/** A codestream without boxes has no end that could be found without decoding it. */
function hasWholeCodestream(file: Buffer): boolean {
  if (file.readUInt16BE(0) === codestream) return true;
  const boxes = boxesIn(file);
  const last = boxes.findLast(({ type }) => type === 'jxlp');
  // a part begins with its number; that of the last one has the highest bit set
  return last ? file.readUInt8(last.data) >= 0x80 : boxes.some(({ type }) => type === 'jxlc');
}

/** Ratios of width to height that a codestream can name, from 1 on. */
const ratios = [1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

/**
 * The size of a JPEG XL in pixels, as a viewer shows it (ISO/IEC 18181-1 §D.2 and §D.3), since the engine does not read
 * any.
 * @throws RangeError if it does not say
 */
export function sizeOfJxl(file: Buffer): { readonly width: number; readonly height: number } {
  const isBare = file.readUInt16BE(0) === codestream;
  const first = isBare ? null : boxesIn(file).find(({ type }) => /^jxl[cp]$/.test(type));
  const start = first ? first.data + (first.type === 'jxlp' ? 4 : 0) : 0;
  if (file.readUInt16BE(start) !== codestream) throw new RangeError('there is no codestream');
  let at = 8 * (start + 2);
  const bits = (count: number): number => {
    let value = 0;
    // least significant bit first
    for (let i = 0; i < count; i += 1, at += 1) {
      value += ((file.readUInt8(at >> 3) >> (at & 7)) & 1) * 2 ** i;
    }
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? 8 * (1 + bits(5)) : 1 + bits([9, 13, 18, 30][bits(2)] ?? 0));
  const height = side();
  const ratio = ratios[bits(3) - 1];
  const width = ratio === undefined ? side() : Math.floor(height * ratio);
  const isAllDefault = bits(1) === 1;
  const orientation = !isAllDefault && bits(1) === 1 ? 1 + bits(3) : 1;
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

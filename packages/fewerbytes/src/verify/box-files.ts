import { type Size, verified } from './raster-files.ts';

// Walks files of boxes (ISO/IEC 14496-12 §4.2), AVIF and JPEG XL, from the first byte to the last.

interface Box {
  readonly type: string;
  /** Where its contents begin and end. */
  readonly data: number;
  readonly end: number;
}

function boxesIn(file: Buffer, start: number, end: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = start; at < end; ) {
    const stated = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const header = stated === 1 ? 16 : 8;
    const length =
      stated === 0 ? end - at : stated === 1 ? Number(file.readBigUInt64BE(at + 8)) : stated;
    verified(length >= header && at + length <= end, 'a box is cut short');
    boxes.push({ type, data: at + header, end: at + length });
    at += length;
  }
  return boxes;
}

/**
 * AVIF (AV1 Image File Format §2): image data, and `meta`, which lists the sizes of all items, coded and cropped, or
 * the track of a sequence.
 */
export function walkAvif(file: Buffer): readonly Size[] {
  const all = boxesIn(file, 0, file.length);
  const inside = (box: Box | undefined, type: string, skipped = 0) =>
    box && boxesIn(file, box.data + skipped, box.end).find((each) => each.type === type);
  const named = (type: string) => all.find((box) => box.type === type);
  // `meta` is a full box: its children follow after version and flags
  const properties = inside(inside(named('meta'), 'iprp', 4), 'ipco');
  const hasData = [named('mdat'), inside(named('meta'), 'idat', 4)].some(
    (box) => box && box.end > box.data,
  );
  verified(all[0]?.type === 'ftyp' && hasData, 'there is no image data');
  const track = inside(inside(named('moov'), 'trak'), 'tkhd');
  const items = properties ? boxesIn(file, properties.data, properties.end) : [];
  return [
    ...items.flatMap(({ type, data }): Size[] => {
      if (type === 'ispe') return [[file.readUInt32BE(data + 4), file.readUInt32BE(data + 8)]];
      return type === 'clap' ? [[ratioAt(file, data), ratioAt(file, data + 8)]] : [];
    }),
    // 16.16 fixed point, at the end of the box
    ...(track
      ? [[file.readUInt16BE(track.end - 8), file.readUInt16BE(track.end - 4)] as const]
      : []),
  ];
}

function ratioAt(file: Buffer, at: number): number {
  return file.readUInt32BE(at) / file.readUInt32BE(at + 4);
}

/**
 * JPEG XL, as a codestream (ISO/IEC 18181-1) or in a container (18181-2). A codestream alone has no end that could be
 * found without decoding it: only its header is read.
 */
export function walkJxl(file: Buffer): readonly Size[] {
  if (file.readUInt16BE(0) === 0xff0a) return [sizeOfCodestream(file, 0)];
  const boxes = boxesIn(file, 0, file.length);
  const first = boxes.find(({ type }) => type === 'jxlc' || type === 'jxlp');
  verified(first !== undefined, 'there is no codestream');
  // a part begins with its number; that of the last one has the highest bit set
  const isInParts = first.type === 'jxlp';
  const last = boxes.findLast(({ type }) => type === 'jxlp');
  if (isInParts && last) verified(file.readUInt8(last.data) >= 0x80, 'the last part is missing');
  return [sizeOfCodestream(file, first.data + (isInParts ? 4 : 0))];
}

/** Ratios of width to height that a codestream can name, from 1 on. */
const ratios = [1, 12 / 10, 4 / 3, 3 / 2, 16 / 9, 5 / 4, 2];

/** SizeHeader (ISO/IEC 18181-1 §D.2), least significant bit first. */
function sizeOfCodestream(file: Buffer, start: number): Size {
  verified(file.readUInt16BE(start) === 0xff0a, 'there is no codestream');
  let at = 8 * (start + 2);
  const bits = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i += 1, at += 1) {
      value += ((file.readUInt8(at >> 3) >> (at & 7)) & 1) * 2 ** i;
    }
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? 8 * (1 + bits(5)) : 1 + bits([9, 13, 18, 30][bits(2)] ?? 0));
  const height = side();
  const ratio = ratios[bits(3) - 1];
  return [ratio === undefined ? side() : Math.floor(height * ratio), height];
}

// Walks the containers of JPEG, PNG, WebP and GIF from the first byte to the last. Reads beyond the end of a file throw
// RangeErrors by themselves.

/** Width and height in pixels. */
export type Size = readonly [width: number, height: number];

/**
 * Demands a property of a file.
 * @throws RangeError if it does not hold, as reads beyond the end of a file do
 */
export function verified(holds: boolean, complaint: string): asserts holds {
  if (!holds) throw new RangeError(complaint);
}

/** JPEG (ITU-T T.81 §B): the segments and scans up to EOI, and those of further images, such as a gain map. */
export function walkJpeg(file: Buffer): readonly Size[] {
  const sizes: Size[] = [];
  for (let at = 0; at < file.length; ) {
    const image = walkJpegImage(file, at);
    sizes.push(image.size);
    at = image.end;
  }
  return sizes.slice(0, 1);
}

function walkJpegImage(file: Buffer, start: number): { size: Size; end: number } {
  verified(file.readUInt16BE(start) === 0xffd8, 'SOI is missing');
  let at = start + 2;
  let size: Size | undefined;
  let hasScan = false;
  for (;;) {
    verified(file.readUInt8(at) === 0xff, 'a marker is missing');
    const marker = file.readUInt8(at + 1);
    at += marker === 0xff ? 1 : 2;
    if (marker === 0xff) continue; // a fill byte
    if (marker === 0xd9) {
      verified(size !== undefined && hasScan, 'there is no scan');
      return { size, end: at };
    }
    // a marker without a segment belongs into scans
    verified(marker >= 0xc0 && (marker < 0xd0 || marker > 0xd8), 'a marker is out of place');
    const length = file.readUInt16BE(at);
    verified(length >= 2, 'a segment has no length');
    const isFrame = marker < 0xd0 && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) size ??= [file.readUInt16BE(at + 5), file.readUInt16BE(at + 3)];
    at += length;
    if (marker !== 0xda) continue;
    hasScan = true;
    at = endOfScan(file, at);
  }
}

/** Finds the marker after a scan: in coded data, 0xFF is followed by zero or belongs to a restart marker. */
function endOfScan(file: Buffer, start: number): number {
  for (let at = start; ; at += 2) {
    at = file.indexOf(0xff, at);
    verified(at >= 0, 'a scan has no end');
    const next = file.readUInt8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
}

/** PNG (W3C PNG §5): IHDR first, image data, and IEND as the last chunk. */
export function walkPng(file: Buffer): readonly Size[] {
  const size: Size = [file.readUInt32BE(16), file.readUInt32BE(20)];
  let hasData = false;
  for (let at = 8; ; ) {
    const length = file.readUInt32BE(at);
    const name = file.toString('latin1', at + 4, at + 8);
    const end = at + 12 + length;
    verified(end <= file.length && /^[A-Za-z]{4}$/.test(name), 'a chunk is cut short');
    verified((at === 8) === (name === 'IHDR'), 'IHDR is not the first chunk');
    if (name === 'IHDR') verified(length === 13, 'IHDR has another length');
    if (name === 'IDAT') hasData ||= length > 0;
    if (name === 'IEND') {
      verified(length === 0 && end === file.length && hasData, 'IEND is not the end');
      return [size];
    }
    at = end;
  }
}

/** WebP (RFC 9649 §2): a RIFF file as long as it says, of chunks with an image in one of them. */
export function walkWebp(file: Buffer): readonly Size[] {
  verified(file.readUInt32LE(4) + 8 === file.length, 'it is not as long as its header says');
  let canvas: Size | undefined;
  let frame: Size | undefined;
  let hasImage = false;
  for (let at = 12; at < file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const data = at + 8;
    at = data + length + (length % 2);
    verified(at <= file.length, 'a chunk is cut short');
    if (name === 'VP8X')
      canvas ??= [file.readUIntLE(data + 4, 3) + 1, file.readUIntLE(data + 7, 3) + 1];
    if (name === 'VP8 ') frame ??= sizeOfVp8(file, data);
    if (name === 'VP8L') frame ??= sizeOfVp8l(file, data);
    hasImage ||= name === 'ANMF' || frame !== undefined;
  }
  const size = canvas ?? frame;
  verified(size !== undefined && hasImage, 'there is no image');
  return [size];
}

/** RFC 6386 §9.1: 14 bits each, below the scaling factors that decoders ignore. */
function sizeOfVp8(file: Buffer, data: number): Size {
  verified(file.readUIntBE(data + 3, 3) === 0x9d012a, 'there is no key frame');
  return [file.readUInt16LE(data + 6) & 0x3fff, file.readUInt16LE(data + 8) & 0x3fff];
}

/** RFC 9649 §3.4. */
function sizeOfVp8l(file: Buffer, data: number): Size {
  verified(file.readUInt8(data) === 0x2f, 'there is no VP8L signature');
  const bits = file.readUInt32LE(data + 1);
  return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
}

/** GIF89a §15–27: blocks up to the trailer, with an image among them. */
export function walkGif(file: Buffer): readonly Size[] {
  let at = 13 + colorTableBytes(file.readUInt8(10));
  for (let images = 0; ; ) {
    const block = file.readUInt8(at);
    if (block === 0x3b) {
      verified(at + 1 === file.length && images > 0, 'the trailer is not the end');
      return [[file.readUInt16LE(6), file.readUInt16LE(8)]];
    }
    verified(block === 0x2c || block === 0x21, 'a block is unknown');
    const isImage = block === 0x2c;
    if (isImage) images += 1;
    at = endOfBlocks(file, isImage ? at + 11 + colorTableBytes(file.readUInt8(at + 9)) : at + 2);
  }
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function endOfBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let length = file.readUInt8(at); length > 0; length = file.readUInt8(at)) at += length + 1;
  return at + 1;
}

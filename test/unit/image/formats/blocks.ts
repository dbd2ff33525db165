import { bytes, exif, type Part } from './byte-writing.ts';

/** One block of each kind; odd lengths, so that every kind of padding is needed. */
export const blocks = {
  exif: bytes(exif(6, 'II'), 0),
  xmp: bytes('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'),
  iptc: bytes([0x1c, 2, 116, 0, 6], 'Nobody'),
};

/** Bytes that do not compress, the same for the same length; of EXIF only the header is right. */
export function largeBlock(length: number, start: Part = ''): Uint8Array {
  const block = new Uint8Array(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (state * 48271) % 0x7fffffff;
    block[i] = state & 0xff;
  }
  block.set(bytes(start));
  return block;
}

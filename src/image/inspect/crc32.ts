const polynomial = 0xedb88320;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1;
  }
  return remainder;
});

/** CRC-32 of the bytes [start, end) of a view, as PNG chunks use it (PNG third edition §5.5, annex D). */
export function crc32(view: DataView, start: number, end: number): number {
  let crc = 0xffffffff;
  for (let i = start; i < end; i++) {
    crc = (crc >>> 8) ^ (table[(crc ^ view.getUint8(i)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

import { crc32 } from 'node:zlib';

export interface PngChunk {
  readonly type: string;
  /** File offsets of the data. */
  readonly start: number;
  readonly end: number;
}

/** Whether the checksum over type and data is right (PNG third edition §5.3). */
export function hasValidChecksum(view: DataView, chunk: PngChunk): boolean {
  const typed = new Uint8Array(
    view.buffer,
    view.byteOffset + chunk.start - 4,
    chunk.end - chunk.start + 4,
  );
  return crc32(typed) === view.getUint32(chunk.end);
}

/** A chunk as it stands in a file, with its length, type and checksum. */
export interface FileChunk {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const signatureBytes = 8;

/** What a decoder needs for the samples; all others say something about them. */
const needed = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** The chunks up to IEND (PNG third edition §5.3), checksums not looked at. */
export function chunksOf(file: Uint8Array): FileChunk[] {
  const chunks: FileChunk[] = [];
  for (let at = signatureBytes; at + 12 <= file.length; ) {
    const length = Buffer.from(file.buffer, file.byteOffset + at, 4).readUInt32BE();
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8));
    chunks.push({ type, bytes: file.subarray(at, at + 12 + length) });
    if (type === 'IEND') break;
    at += 12 + length;
  }
  return chunks;
}

/** A PNG without metadata and colour profile: so the coders are compared and not what they keep. */
export function bare(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = chunksOf(file).filter(({ type }) => needed.has(type));
  const parts = [file.subarray(0, signatureBytes), ...kept.map(({ bytes }) => bytes)];
  return new Uint8Array(Buffer.concat(parts));
}

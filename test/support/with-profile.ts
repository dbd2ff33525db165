const chunkBytes = 65_000;

/** A JPEG with this ICC profile right after its start (ICC.1:2010 annex B.4), its own ones left alone. */
export function withJpegProfile(file: Uint8Array, icc: Uint8Array): Uint8Array<ArrayBuffer> {
  const count = Math.ceil(icc.length / chunkBytes);
  const segments = Array.from({ length: count }, (_, i) => {
    const chunk = icc.subarray(i * chunkBytes, (i + 1) * chunkBytes);
    const length = 2 + 14 + chunk.length;
    const head = Buffer.from([0xff, 0xe2, length >> 8, length & 0xff]);
    return Buffer.concat([head, Buffer.from('ICC_PROFILE\0'), Buffer.from([i + 1, count]), chunk]);
  });
  return Uint8Array.from(
    Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)] as Uint8Array[]),
  );
}

import { allocateCursor } from './cursor';
import { sound } from './status';
import { openStream, skipBytes } from './zlib-stream';

/**
 * How many bytes a zlib stream unpacks to, up to its end or damage, and no further than to `limit`; 0 where
 * it is none, or where there is no room for a cursor.
 */
export function unpackedBytes(limit: u32): u32 {
  const cursor = allocateCursor();
  if (cursor === 0 || openStream(cursor) !== sound) return 0;
  return <u32>skipBytes(cursor, limit);
}

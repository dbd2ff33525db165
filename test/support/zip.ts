import { crc32 } from 'node:zlib';

/**
 * The stored (uncompressed) entries of a ZIP by name, from its central directory (APPNOTE.TXT §4.3.12), with verified
 * checksums.
 * @throws Error if the file is inconsistent
 */
export function storedEntries(zip: Buffer): ReadonlyMap<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw new Error('no end of the central directory');
  const entries = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i += 1) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`no entry ${i}`);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    ) as [number, number, number];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    entries.set(name, contentOf(zip, at, name));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

function contentOf(zip: Buffer, entry: number, name: string): Buffer {
  if (zip.readUInt16LE(entry + 10) !== 0) throw new Error(`${name} is compressed`);
  const local = zip.readUInt32LE(entry + 42);
  const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const content = zip.subarray(from, from + zip.readUInt32LE(entry + 20));
  if (crc32(content) !== zip.readUInt32LE(entry + 16)) throw new Error(`${name} is damaged`);
  return content;
}

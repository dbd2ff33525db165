/** A value as it is written: a number is a LONG, a string is ASCII with its NUL. */
type Value = number | string | { readonly type: number; readonly bytes: Uint8Array };
type Directory = Readonly<Record<number, Value>>;

export interface Tiff {
  readonly order?: 'II' | 'MM';
  readonly ifd0: Directory;
  readonly exif?: Directory;
  readonly gps?: Directory;
  readonly ifd1?: Directory;
  /** Bytes at the end, where tag 0x0201 of `ifd1` points to. */
  readonly thumbnail?: Uint8Array;
}

const sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

export function short(value: number, order: 'II' | 'MM' = 'II'): Value {
  const pair = [value & 255, value >> 8];
  return { type: 3, bytes: Uint8Array.from(order === 'II' ? pair : pair.reverse()) };
}

export function undefinedBytes(bytes: Uint8Array): Value {
  return { type: 7, bytes };
}

/** Lays out an EXIF block: directories one after the other, each with its values behind it. */
export function tiff({ order = 'II', ifd0, exif, gps, ifd1, thumbnail }: Tiff): Uint8Array {
  const file = Buffer.alloc(65536);
  const u16 = (value: number, at: number) =>
    order === 'II' ? file.writeUInt16LE(value, at) : file.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    order === 'II' ? file.writeUInt32LE(value, at) : file.writeUInt32BE(value, at);
  file.write(order, 0, 'latin1');
  u16(42, 2);
  let end = 8;

  /** Where the offset of the next directory stands, and where each value does. */
  function write(directory: Directory): { nextAt: number; valueAt: Map<number, number> } {
    const entries = Object.entries(directory).map(([tag, value]) => ({ tag: Number(tag), value }));
    entries.sort((a, b) => a.tag - b.tag);
    const start = end;
    u16(entries.length, start);
    end = start + 2 + entries.length * 12 + 4;
    const valueAt = new Map<number, number>();
    entries.forEach(({ tag, value }, index) => {
      const at = start + 2 + index * 12;
      const { type, bytes } = encoded(value, u32);
      u16(tag, at);
      u16(type, at + 2);
      u32(bytes.length / (sizes[type] ?? 1), at + 4);
      if (bytes.length <= 4) {
        file.set(bytes, at + 8);
        valueAt.set(tag, at + 8);
      } else {
        u32(end, at + 8);
        file.set(bytes, end);
        valueAt.set(tag, end);
        end += bytes.length + (bytes.length & 1);
      }
    });
    return { nextAt: start + 2 + entries.length * 12, valueAt };
  }

  function encoded(value: Value, writeLong: (value: number, at: number) => void) {
    if (typeof value === 'string') return { type: 2, bytes: Buffer.from(`${value}\0`) };
    if (typeof value !== 'number') return value;
    writeLong(value, 65532);
    return { type: 4, bytes: Uint8Array.from(file.subarray(65532)) };
  }

  const links = { ...(exif && { 34665: 0 }), ...(gps && { 34853: 0 }) };
  u32(end, 4);
  const first = write({ ...ifd0, ...links });
  for (const [tag, directory] of [
    [0x8769, exif],
    [0x8825, gps],
  ] as const) {
    if (!directory) continue;
    u32(end, first.valueAt.get(tag) ?? 0);
    write(directory);
  }
  if (ifd1) {
    u32(end, first.nextAt);
    const { valueAt } = write(thumbnail ? { ...ifd1, 513: 0, 514: thumbnail.length } : ifd1);
    if (thumbnail) u32(end, valueAt.get(0x201) ?? 0);
  }
  file.set(thumbnail ?? [], end);
  return Uint8Array.from(file.subarray(0, end + (thumbnail?.length ?? 0)));
}

export interface Read {
  readonly type: number;
  readonly offset: number;
  readonly bytes: Buffer;
  /** Of a SHORT or LONG. */
  readonly number: number;
}

/** Reads a block without sparing it anything: what is not in order throws. */
export function readTiff(block: Uint8Array) {
  const file = Buffer.from(block);
  const little = file.toString('latin1', 0, 2) === 'II';
  if (!little && file.toString('latin1', 0, 2) !== 'MM') throw new Error('no byte order');
  const u16 = (at: number) => (little ? file.readUInt16LE(at) : file.readUInt16BE(at));
  const u32 = (at: number) => (little ? file.readUInt32LE(at) : file.readUInt32BE(at));
  if (u16(2) !== 42) throw new Error('no TIFF');

  function directory(start: number) {
    const entries = new Map<number, Read>();
    const count = u16(start);
    for (let i = 0; i < count; i++) {
      const at = start + 2 + i * 12;
      const type = u16(at + 2);
      const length = u32(at + 4) * (sizes[type] ?? 1);
      const offset = length <= 4 ? at + 8 : u32(at + 8);
      if (offset + length > file.length) throw new RangeError(`value of tag ${u16(at)}`);
      const number = type === 3 ? u16(at + 8) : u32(at + 8);
      entries.set(u16(at), { type, offset, bytes: file.subarray(offset, offset + length), number });
    }
    return { entries, next: u32(start + 2 + count * 12) };
  }

  const linked = (from: Map<number, Read>, tag: number) => {
    const link = from.get(tag);
    return link ? directory(link.number).entries : new Map<number, Read>();
  };
  const ifd0 = directory(u32(4));
  return {
    ifd0: ifd0.entries,
    exif: linked(ifd0.entries, 0x8769),
    gps: linked(ifd0.entries, 0x8825),
    ifd1: ifd0.next === 0 ? null : directory(ifd0.next).entries,
  };
}

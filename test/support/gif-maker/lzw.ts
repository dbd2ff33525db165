/** Options of the LZW encoder. */
export interface LzwHabits {
  /** Whether the data begin with a clear code; true if absent. */
  readonly beginsClear?: boolean;
  /** Whether a full table is cleared, rather than kept. True if absent. */
  readonly clears?: boolean;
}

/** LZW encoding as simple as possible (GIF89a appendix F). */
export function lzwCodes(
  indices: ArrayLike<number>,
  minCodeSize: number,
  { beginsClear = true, clears = true }: LzwHabits = {},
): number[] {
  const clear = 2 ** minCodeSize;
  const codes = beginsClear ? [clear] : [];
  let table = new Map<string, number>();
  let free = clear + 2;
  let text = '';
  let code = -1;
  for (const index of Array.from(indices)) {
    const longer = `${text},${index}`;
    const known = text === '' ? index : table.get(longer);
    if (known !== undefined) {
      [text, code] = [longer, known];
      continue;
    }
    codes.push(code);
    if (free < 4096) {
      table.set(longer, free);
      free += 1;
    } else if (clears) {
      codes.push(clear);
      table = new Map();
      free = clear + 2;
    }
    [text, code] = [`,${index}`, index];
  }
  if (code >= 0) codes.push(code);
  return [...codes, clear + 1];
}

/** Packs codes into bytes, each with the width that a decoder expects. */
export function packedCodes(codes: readonly number[], minCodeSize: number): Uint8Array {
  const clear = 2 ** minCodeSize;
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  let [width, free, hasPrevious] = [minCodeSize + 1, clear + 2, false];
  for (const code of codes) {
    bits += code * 2 ** count;
    count += width;
    for (; count >= 8; count -= 8) {
      bytes.push(bits & 0xff);
      bits = Math.floor(bits / 256);
    }
    if (code === clear) {
      [width, free, hasPrevious] = [minCodeSize + 1, clear + 2, false];
      continue;
    }
    if (hasPrevious && free < 4096) {
      free += 1;
      if (free === 2 ** width && width < 12) width += 1;
    }
    hasPrevious = true;
  }
  if (count > 0) bytes.push(bits & 0xff);
  return Uint8Array.from(bytes);
}

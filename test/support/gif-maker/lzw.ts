/** How codes are made. */
export interface LzwHabits {
  /** The data begin with a clear code; true when absent. */
  readonly beginsClear?: boolean;
  /** A full table is cleared; otherwise it stays as it is. True when absent. */
  readonly clears?: boolean;
}

/** LZW as plain as it can be (GIF89a appendix F). */
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

/** Codes as bytes, each as wide as a decoder expects it to be. */
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

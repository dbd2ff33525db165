/** The image headers of a JPEG XL file, parsed independently of src/ (ISO/IEC 18181-1 §D, 18181-2). */
export interface JxlHeaders {
  /** As coded, before applying the orientation. */
  readonly width: number;
  readonly height: number;
  readonly orientation: number;
}

const containerStart = '\0\0\0\x0cJXL \r\n\x87\n';

export function jxlHeaders(file: Uint8Array): JxlHeaders {
  const codestream = codestreamOf(file);
  if (codestream[0] !== 0xff || codestream[1] !== 0x0a) throw new Error('no codestream');
  let at = 16;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i += 1, at += 1) {
      value += (((codestream[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** i;
    }
    return value;
  };
  const side = () => 1 + bits([9, 13, 18, 30][bits(2)] ?? 0);
  if (bits(1) === 1) throw new Error('sides in units of 8 are not read here');
  const height = side();
  if (bits(3) !== 0) throw new Error('proportions are not read here');
  const width = side();
  const isAllDefault = bits(1) === 1;
  const hasExtraFields = !isAllDefault && bits(1) === 1;
  return { width, height, orientation: hasExtraFields ? 1 + bits(3) : 1 };
}

/** The names of the boxes around a codestream; empty for a bare codestream. */
export function jxlBoxes(file: Uint8Array): readonly string[] {
  return boxesOf(file).map(({ name }) => name);
}

function codestreamOf(file: Uint8Array): Uint8Array {
  return boxesOf(file).find(({ name }) => name === 'jxlc')?.content ?? file;
}

function boxesOf(file: Uint8Array): { readonly name: string; readonly content: Uint8Array }[] {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (buffer.toString('latin1', 0, 12) !== containerStart) return [];
  const boxes: { name: string; content: Uint8Array }[] = [];
  for (let at = 0; at < buffer.length; ) {
    const length = buffer.readUInt32BE(at) || buffer.length - at;
    const name = buffer.toString('latin1', at + 4, at + 8);
    boxes.push({ name, content: buffer.subarray(at + 8, at + length) });
    at += length;
  }
  return boxes;
}

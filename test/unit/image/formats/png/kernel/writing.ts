import { inflateSync } from 'node:zlib';
import { compiledKernel } from '../../../../../support/kernels.ts';

/** Exports of the writer stages, with memory to put bytes into. */
interface WriterKernel {
  readonly memory: WebAssembly.Memory;
  /** The pieces that the host has taken. */
  readonly drained: Uint8Array[];
  beginMemory(): void;
  allocate(bytes: number): number;
  release(at: number): void;
  room(): number;
  taken(): number;
  beginWriter(rowBytes: number, step: number, effort: number, most: number): number;
  writeRow(row: number): number;
  continueWriting(): number;
  endWriter(): number;
  drainOutput(isWanted: boolean): void;
  outputAt(): number;
}

export interface Rows {
  readonly rowBytes: number;
  readonly step: number;
  readonly bytes: Uint8Array;
}

let compiled: Promise<WebAssembly.Module> | undefined;

/** A writer on fresh memory of `mebibytes` MiB. */
export async function linkedWriter(mebibytes = 16): Promise<WriterKernel> {
  compiled ??= compiledKernel('png', [
    '../../../wasm/assembly/memory.ts',
    'deflate/bit-output.ts',
    'filters/bands.ts',
  ]);
  return linked(await compiled, mebibytes);
}

/** Any stage on fresh memory. */
export function linked<Kernel = WriterKernel>(
  module: WebAssembly.Module,
  mebibytes = 16,
): Kernel & WriterKernel {
  const memory = new WebAssembly.Memory({ initial: mebibytes * 16, maximum: 32_768 });
  const drained: Uint8Array[] = [];
  const takeOutput = (at: number, length: number) => {
    drained.push(new Uint8Array(memory.buffer, at, length).slice());
  };
  const imports = { env: { memory }, 'bit-output': { takeOutput } };
  const { exports } = new WebAssembly.Instance(module, imports);
  const kernel = Object.assign({ memory, drained }, exports) as unknown as Kernel & WriterKernel;
  kernel.beginMemory();
  return kernel;
}

/** Allocates memory and fills it; returns its address. */
export function put(kernel: WriterKernel, bytes: Uint8Array, slack = 0): number {
  const at = kernel.allocate(bytes.length + slack);
  new Uint8Array(kernel.memory.buffer).set(bytes, at);
  return at;
}

/** Writes a picture; returns its stream, which stays in memory, or undefined if it exceeded `most`. */
export function written(
  kernel: WriterKernel,
  picture: Rows,
  { effort = 2, most = picture.bytes.length * 2 + 1000 } = {},
): Uint8Array | undefined {
  kernel.drainOutput(false);
  const length = lengthWritten(kernel, picture, { effort, most });
  if (length === 0) return undefined;
  return new Uint8Array(kernel.memory.buffer, kernel.outputAt(), length).slice();
}

/** Writes a picture whose stream is drained; returns the stream, or undefined if it exceeded `most`. */
export function drained(
  kernel: WriterKernel,
  picture: Rows,
  { effort = 2, most = picture.bytes.length * 2 + 1000 } = {},
): Uint8Array | undefined {
  kernel.drainOutput(true);
  kernel.drained.length = 0;
  const length = lengthWritten(kernel, picture, { effort, most });
  if (length === 0) return undefined;
  const stream = Buffer.concat(kernel.drained);
  if (stream.length !== length) throw new Error(`${stream.length} of ${length} bytes were drained`);
  return new Uint8Array(stream);
}

function lengthWritten(
  kernel: WriterKernel,
  { rowBytes, step, bytes }: Rows,
  { effort, most }: { readonly effort: number; readonly most: number },
): number {
  const row = kernel.allocate(rowBytes);
  if (!kernel.beginWriter(rowBytes, step, effort, most)) throw new Error('no room');
  for (let at = 0; at < bytes.length; at += rowBytes) {
    new Uint8Array(kernel.memory.buffer).set(bytes.subarray(at, at + rowBytes), row);
    if (!rowWritten(kernel, row)) break;
  }
  return ended(kernel);
}

/** What the kernel returns where it has work to go on with. */
const unfinished = -1;

/** Writes a row; 0 if the stream has exceeded its limit. */
export function rowWritten(kernel: WriterKernel, row: number): number {
  let status = kernel.writeRow(row);
  while (status === unfinished) status = kernel.continueWriting();
  return status;
}

/** Ends a picture; the length of its stream. */
export function ended(kernel: WriterKernel): number {
  let length = kernel.endWriter();
  while (length === unfinished) length = kernel.endWriter();
  return length;
}

/** Decodes the rows of a stream with zlib's inflate and PNG's filters, one byte at a time. */
export function unfiltered(stream: Uint8Array, { rowBytes, step }: Rows): Uint8Array {
  const filtered = inflateSync(stream);
  const height = filtered.length / (rowBytes + 1);
  const rows = new Uint8Array(rowBytes * height);
  const at = (x: number, y: number) => (x < 0 || y < 0 ? 0 : (rows[y * rowBytes + x] ?? 0));
  for (let y = 0; y < height; y += 1) {
    const filter = filtered[y * (rowBytes + 1)] ?? 0;
    for (let x = 0; x < rowBytes; x += 1) {
      const value = filtered[y * (rowBytes + 1) + 1 + x] ?? 0;
      rows[y * rowBytes + x] =
        value + predicted(filter, at(x - step, y), at(x, y - 1), at(x - step, y - 1));
    }
  }
  return rows;
}

/** The prediction of each filter (PNG third edition §9.2). */
export function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) throw new Error(`no filter ${filter}`);
  const estimate = left + above - corner;
  const fromLeft = Math.abs(estimate - left);
  const fromAbove = Math.abs(estimate - above);
  const fromCorner = Math.abs(estimate - corner);
  if (fromLeft <= fromAbove && fromLeft <= fromCorner) return left;
  return fromAbove <= fromCorner ? above : corner;
}

/** Repeatable numbers from 0 up to 1 (Park and Miller 1988). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

export function noise(length: number, seed: number, values = 256): Uint8Array {
  const random = seeded(seed);
  return Uint8Array.from({ length }, () => random() * values);
}

/** A shaded surface with a little noise, like a photo. */
export function photo(width: number, height: number, step: number): Rows {
  const random = seeded(7);
  const bytes = Uint8Array.from({ length: width * height * step }, (_, i) => {
    const x = Math.floor(i / step) % width;
    const y = Math.floor(i / step / width);
    return 120 + 60 * Math.sin(x / 40 + (i % step)) + 50 * Math.cos(y / 30) + 8 * random();
  });
  return { rowBytes: width * step, step, bytes };
}

/** Flat areas, frames and lettering, like a user interface. */
export function graphic(width: number, height: number, step: number): Rows {
  const glyphs = noise(16 * 64, 5, 2);
  const bytes = Uint8Array.from({ length: width * height * step }, (_, i) => {
    const x = Math.floor(i / step) % width;
    const y = Math.floor(i / step / width);
    if (x % 120 === 0 || y % 90 === 0) return 40 + (i % step);
    if (y % 24 >= 8 || x % 120 > 100) return y % 90 < 20 ? 225 : 250;
    const glyph = (Math.floor(x / 8) * 7 + Math.floor(y / 24) * 3) % 16;
    return glyphs[glyph * 64 + (y % 8) * 8 + (x % 8)] === 1 ? 30 : 250;
  });
  return { rowBytes: width * step, step, bytes };
}

import { compiledKernel } from '../../../../../support/kernels.ts';

/** Statuses of kernel/vp8l/status.ts. */
export const status = {
  sound: 0,
  badHeader: 1,
  truncated: 2,
  outOfMemory: 3,
  badTransform: 4,
  badCache: 5,
  badCode: 6,
  badReference: 7,
  incomplete: 9,
} as const;

interface LosslessKernel {
  beginMemory(): void;
  beginCounting(): void;
  counted(): number;
  taken(): number;
  allocate(bytes: number): number;
  countLossless(width: number, height: number, bytes: number): number;
  openLossless(start: number, stop: number, columns: number, rows: number): number;
  readOn(): number;
  startLossless(): void;
  nextLosslessRow(to: number): number;
  countAlpha(columns: number, rows: number, bytes: number): number;
  openAlpha(from: number, to: number, columns: number, rows: number): number;
  startAlpha(): void;
  nextAlphaRow(): number;
  alphaStatus(): number;
}

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'alpha/decoder.ts',
  'vp8l/picture.ts',
]);

/** Memory in pages of 64 KiB, unless something else is asked for. */
const usualPages = 160;
const memories = new Map<number, WebAssembly.Memory>();
/** The kernel that ran last in a memory. */
const last = new Map<WebAssembly.Memory, LosslessKernel>();

type Linked = LosslessKernel & { readonly bytes: Uint8Array };

/** Links the stage to read a file, in memory of zeros. */
export function linked(file: Uint8Array, pages = usualPages): Linked {
  const memory = memories.get(pages) ?? new WebAssembly.Memory({ initial: pages });
  memories.set(pages, memory);
  new Uint8Array(memory.buffer).fill(0, 0, last.get(memory)?.taken());
  const kernel = instance(file, memory);
  last.set(memory, kernel);
  kernel.beginMemory();
  return kernel;
}

function instance(file: Uint8Array, memory: WebAssembly.Memory): Linked {
  const bytes = new Uint8Array(memory.buffer);
  const readFile = (position: number, to: number, length: number) => {
    const part = file.subarray(position, position + length);
    bytes.set(part, to);
    return part.length;
  };
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    'file-window': { readFile },
  });
  return { ...(exports as unknown as LosslessKernel), bytes };
}

/** Counts memory. */
const counting = instance(new Uint8Array(0), new WebAssembly.Memory({ initial: 4 }));

/** What came of decoding. */
export interface Decoded {
  readonly status: number;
  /** RGBA, or samples of alpha. */
  readonly data: Buffer;
  /** Bytes that were taken, and bytes that were predicted. */
  readonly taken: number;
  readonly counted: number;
}

/**
 * Decodes the VP8L chunk of a file.
 * @param runs through the picture; all but the last stop halfway
 */
export function decodedLossless(file: Buffer, { runs = 1, pages = usualPages } = {}): Decoded {
  const { start, length } = chunkOf(file, 'VP8L');
  const { width, height } = losslessSize(file, start);
  const kernel = linked(file, pages);
  counting.beginCounting();
  counting.countLossless(width, height, length);
  const counted = counting.counted();
  const outcome = (status: number, data = Buffer.alloc(0)) => ({
    status,
    data,
    taken: kernel.taken(),
    counted,
  });
  const opened = readOn(kernel, kernel.openLossless(start, file.length, width, height));
  if (opened !== status.sound) return outcome(opened);
  const taken = kernel.taken();
  const to = kernel.allocate(width * 4);
  const data = Buffer.alloc(width * height * 4);
  for (let run = 1; run <= runs; run++) {
    if (run > 1) kernel.startLossless();
    const end = run < runs ? height >> 1 : height;
    for (let y = 0; y < end; y++) {
      const read = kernel.nextLosslessRow(to);
      if (read !== status.sound) return outcome(read);
      data.set(kernel.bytes.subarray(to, to + width * 4), y * width * 4);
    }
  }
  return { ...outcome(status.sound, data), taken };
}

/** Reads everything before the pixels. @param opened status of opening the picture */
function readOn(kernel: Linked, opened: number): number {
  let read = opened;
  while (read === status.incomplete) read = kernel.readOn();
  return read;
}

/** Decodes the ALPH chunk of a file, as `decodedLossless` does another. */
export function decodedAlpha(file: Buffer, { runs = 1 } = {}): Decoded {
  const { start, length } = chunkOf(file, 'ALPH');
  const lossy = chunkOf(file, 'VP8 ').start;
  const width = file.readUInt16LE(lossy + 6) & 0x3fff;
  const height = file.readUInt16LE(lossy + 8) & 0x3fff;
  const kernel = linked(file);
  counting.beginCounting();
  counting.countAlpha(width, height, length);
  const counted = counting.counted();
  const outcome = (status: number, data = Buffer.alloc(0)) => ({
    status,
    data,
    taken: kernel.taken(),
    counted,
  });
  const opened = readOn(kernel, kernel.openAlpha(start, start + length, width, height));
  if (opened !== status.sound) return outcome(opened);
  const data = Buffer.alloc(width * height);
  for (let run = 1; run <= runs; run++) {
    kernel.startAlpha();
    const end = run < runs ? height >> 1 : height;
    for (let y = 0; y < end; y++) {
      const row = kernel.nextAlphaRow();
      if (row === 0) return outcome(kernel.alphaStatus());
      data.set(kernel.bytes.subarray(row, row + width), y * width);
    }
  }
  return outcome(status.sound, data);
}

/** Where a chunk's data begin in a file, and how many bytes they are. */
export function chunkOf(file: Buffer, type: string): { start: number; length: number } {
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === type) return { start: at + 8, length };
    at += 8 + length + (length & 1);
  }
  throw new Error(`there is no ${type}`);
}

function losslessSize(file: Buffer, start: number): { width: number; height: number } {
  const size = file.readUInt32LE(start + 1);
  return { width: (size & 0x3fff) + 1, height: ((size >>> 14) & 0x3fff) + 1 };
}

/** A file with one chunk. */
export function riff(type: string, data: Uint8Array): Buffer {
  return container([[type, data]]);
}

/** A file with the chunks of another, of which one has other data. */
export function withChunk(file: Buffer, type: string, data: Uint8Array): Buffer {
  const chunks: [string, Uint8Array][] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    const name = file.toString('latin1', at, at + 4);
    chunks.push([name, name === type ? data : file.subarray(at + 8, at + 8 + length)]);
    at += 8 + length + (length & 1);
  }
  return container(chunks);
}

function container(chunks: [string, Uint8Array][]): Buffer {
  const parts = chunks.flatMap(([type, data]) => {
    const head = Buffer.from(`${type}....`, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return [head, data, Buffer.alloc(data.length & 1)];
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...parts]);
  const head = Buffer.from('RIFF....');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

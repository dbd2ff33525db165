import { compiledKernel } from '../../../../../support/kernels.ts';

/** Statuses of kernel/inflate/cursor.ts. */
export const status = {
  sound: 0,
  truncated: 1,
  badHeader: 2,
  badBlock: 3,
  badCode: 4,
  badSymbol: 5,
  badDistance: 6,
  missing: 7,
  surplus: 8,
  badChecksum: 9,
  badFilter: 10,
} as const;

export interface InflateKernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  allocateCursor(): number;
  copyCursor(from: number, to: number): void;
  openStream(cursor: number): number;
  readBytes(cursor: number, to: number, length: number): number;
  skipBytes(cursor: number, length: bigint): bigint;
  endStream(cursor: number): number;
  adler32(sum: number, from: number, length: number): number;
}

export function compiledInflate(): Promise<WebAssembly.Module> {
  return compiledKernel('png', [
    '../../../wasm/assembly/memory.ts',
    'adler32.ts',
    'inflate/cursor.ts',
    'inflate/zlib-stream.ts',
  ]);
}

/** Links a stage that inflates one stream, which arrives in pieces of limited size. */
export function linked<Kernel extends { beginMemory(): void }>(
  module: WebAssembly.Module,
  stream: Uint8Array,
  pieceBytes = stream.length + 1,
): Kernel & { readonly memory: WebAssembly.Memory; taken(): number } {
  const memory = new WebAssembly.Memory({ initial: 16 });
  const places: number[] = [];
  let most = 0;
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    cursor: {
      readData(id: number, to: number, length: number): number {
        const at = places[id] ?? 0;
        const part = stream.subarray(at, at + Math.min(length, pieceBytes));
        new Uint8Array(memory.buffer).set(part, to);
        places[id] = at + part.length;
        most = Math.max(most, at + part.length);
        return part.length;
      },
      forkData(from: number, to: number): void {
        places[to] = from === to ? 0 : (places[from] ?? 0);
      },
    },
    'zlib-stream': { takeUnpacked: () => {} },
  });
  const kernel = { ...(exports as unknown as Kernel), memory, taken: () => most };
  kernel.beginMemory();
  return kernel;
}

/** A copy of bytes of a kernel's memory. */
export function bytesAt({ memory }: { memory: WebAssembly.Memory }, at: number, length: number) {
  return Buffer.from(new Uint8Array(memory.buffer, at, length));
}

/** A stream inflated in portions of this size, and the final status. */
export function inflated(
  module: WebAssembly.Module,
  stream: Uint8Array,
  length: number,
  portion = 1000,
  pieceBytes = 5000,
): { readonly outcome: number; readonly bytes: Buffer } {
  const kernel = linked<InflateKernel>(module, stream, pieceBytes);
  const cursor = kernel.allocateCursor();
  const to = kernel.allocate(portion);
  const portions: Buffer[] = [];
  let outcome = kernel.openStream(cursor);
  for (let left = length; left > 0 && outcome === status.sound; left -= portion) {
    const count = Math.min(left, portion);
    outcome = kernel.readBytes(cursor, to, count);
    portions.push(bytesAt(kernel, to, count));
  }
  if (outcome === status.sound) outcome = kernel.endStream(cursor);
  return { outcome, bytes: Buffer.concat(portions) };
}

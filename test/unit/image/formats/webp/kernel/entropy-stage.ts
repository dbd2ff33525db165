import { compiledKernel } from '../../../../../support/kernels.ts';

/** What is coded of a frame, macroblocks in rows. */
export interface CodedFrame {
  readonly across: number;
  readonly down: number;
  readonly macroblocks: readonly CodedMacroblock[];
  readonly settings?: FrameSettings | undefined;
}

export interface CodedMacroblock {
  /** Modes of 16 blocks; where they are not predicted one by one, the same each. */
  readonly modes: readonly number[];
  readonly chromaMode: number;
  readonly isByBlock: boolean;
  readonly segment: number;
  readonly isSkipped: boolean;
  /** 25 blocks of 16 in zigzag order. */
  readonly levels: Int16Array;
}

export interface FrameSettings {
  readonly quantizers?: readonly number[];
  readonly filterLevels?: readonly number[];
  readonly deltas?: readonly number[];
  readonly isSimple?: boolean;
  readonly sharpness?: number;
}

/** How a frame is coded. */
export interface CodingOptions {
  /** Bytes that the memory may have, beyond what is allocated at the beginning. */
  readonly room?: number;
  /** Kind of the first run: tokens are kept unless they shall only be counted. */
  readonly counts?: boolean;
  /** Called behind the last macroblock of each run. */
  readonly onEnd?: (stage: Stage) => void;
}

export interface CodedResult {
  readonly status: number;
  readonly isExhausted: boolean;
  /** Payload of a VP8 chunk. */
  readonly payload: Buffer;
  readonly firstBytes: number;
  readonly tokenBytes: number;
  /** Bytes of memory that were taken. */
  readonly taken: number;
}

type Calls = Record<string, (...given: number[]) => number>;

/** The stages of entropy coding and those that read what they write. */
export interface Stage {
  readonly calls: Calls;
  readonly memory: WebAssembly.Memory;
  constant(name: string): number;
}

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'pieces.ts',
  'vp8-encoder/entropy.ts',
  'vp8-encoder/bool-encoder.ts',
  'vp8-encoder/first-partition.ts',
  'vp8-encoder/level-costs.ts',
  'vp8-encoder/modes.ts',
  'vp8-encoder/token-partition.ts',
  'vp8-encoder/token-probabilities.ts',
  'vp8/picture.ts',
  'vp8/modes.ts',
  'vp8/segments.ts',
  'vp8/coefficients.ts',
  'vp8/bool-decoder.ts',
  'vp8/token-probabilities.ts',
]);

/** Pages of 64 KiB, for the largest frames of the tests, and for a few macroblocks. */
const manyPages = 2048;
const fewPages = 16;

function linked(
  readFile: (memory: WebAssembly.Memory, ...given: number[]) => number,
  pages = manyPages,
): Stage {
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(module, {
    env: { memory },
    'file-window': { readFile: (...given: number[]) => readFile(memory, ...given) },
  });
  const calls = exports as unknown as Calls;
  return {
    calls,
    memory,
    constant: (name) => Number((exports[name] as WebAssembly.Global).value),
  };
}

/** Codes a frame, in a second run where the first has not kept its tokens. */
export function codedFrame(frame: CodedFrame, options: CodingOptions = {}): CodedResult {
  const stage = linked(() => 0);
  const { calls } = stage;
  const call = (name: string, ...given: number[]) => calls[name]?.(...given) ?? 0;
  call('beginMemory');
  call('beginPieces');
  const record = call('allocate', 20);
  const levels = call('allocate', 800);
  if (!call('allocateEntropy', frame.across, frame.down)) throw new Error('no room');
  if (options.room !== undefined) call('limitMemory', call('taken') + options.room);
  setUp(stage, frame);
  const run = (kind: number) => {
    call('beginEntropy', kind);
    frame.macroblocks.forEach((macroblock, i) => {
      const x = i % frame.across;
      if (x === 0) call('beginMacroblockRow');
      write(stage.memory, macroblock, record, levels);
      call('keepMacroblock', x, record, levels, macroblock.isSkipped ? 1 : 0);
      if (kind === 2 && x === frame.across - 1) drained(stage, 'tokenPartition', tokens);
    });
    options.onEnd?.(stage);
    const unfinished = stage.constant('unfinished');
    for (;;) {
      const status = call('finishEntropy');
      if (status !== unfinished) return status;
    }
  };
  const first: Buffer[] = [];
  const tokens: Buffer[] = [];
  let status = run(options.counts ? 1 : 0);
  const isExhausted = call('isExhausted') !== 0;
  const head = Buffer.from(stage.memory.buffer, stage.constant('frameHead'), 10);
  if (status === 0) {
    const firstBytes = call('codedLength', stage.constant('firstPartition'));
    drained(stage, 'firstPartition', first);
    if (Buffer.concat(first).length !== firstBytes) throw new Error('first partition is cut');
    if (isExhausted) status = run(2);
  }
  const tokenBytes = call('codedLength', stage.constant('tokenPartition'));
  drained(stage, 'tokenPartition', tokens);
  if (Buffer.concat(tokens).length !== tokenBytes) throw new Error('tokens are cut');
  return {
    status,
    isExhausted,
    payload: Buffer.concat([head, ...first, ...tokens]),
    firstBytes: Buffer.concat(first).length,
    tokenBytes,
    taken: call('taken'),
  };
}

function setUp({ calls }: Stage, { across, down, settings = {} }: CodedFrame): void {
  const { quantizers = [0, 0, 0, 0], filterLevels = [0, 0, 0, 0] } = settings;
  calls.setFrameSize?.(16 * across, 16 * down);
  quantizers.forEach((quantizer, i) => {
    calls.setFrameSegment?.(i, quantizer, filterLevels[i] ?? 0);
  });
  calls.setFrameDeltas?.(...(settings.deltas ?? [0, 0, 0, 0, 0]));
  calls.setFrameFilter?.(settings.isSimple ? 1 : 0, settings.sharpness ?? 0);
}

function write(
  memory: WebAssembly.Memory,
  macroblock: CodedMacroblock,
  record: number,
  levels: number,
): void {
  const { modes, chromaMode, isByBlock, segment } = macroblock;
  const bytes = new Uint8Array(memory.buffer, record, 20);
  bytes.set([...modes, chromaMode, isByBlock ? 1 : 0, segment]);
  new Int16Array(memory.buffer, levels, 400).set(macroblock.levels);
}

/** Takes the complete pieces of a string. */
function drained({ calls, memory, constant }: Stage, name: string, to: Buffer[]): void {
  const string = constant(name);
  while (true) {
    const at = calls.nextCodedPiece?.(string) ?? 0;
    if (at === 0) return;
    const bytes = calls.codedPieceBytes?.(string) ?? 0;
    to.push(Buffer.from(memory.buffer.slice(at, at + bytes)));
  }
}

/** A file with nothing but the frame. */
export function webpOf(payload: Buffer): Buffer {
  const padded = payload.length + (payload.length & 1);
  const file = Buffer.alloc(20 + padded);
  file.write('RIFF');
  file.writeUInt32LE(12 + padded, 4);
  file.write('WEBPVP8 ', 8);
  file.writeUInt32LE(payload.length, 16);
  payload.copy(file, 20);
  return file;
}

/** Number of bytes of the first partition that are needed to read the header of a frame of few macroblocks. */
export function headerBytes(payload: Buffer, across: number, down: number): number {
  const isEnough = (bytes: number) => {
    const cut = Buffer.from(payload);
    cut.writeUIntLE((bytes << 5) | (payload.readUIntLE(0, 3) & 31), 0, 3);
    const { call, status } = openedFrame(cut, across, down, fewPages);
    return status === 0 && call('isOverrun') === 0;
  };
  let bytes = payload.readUIntLE(0, 3) >> 5;
  while (isEnough(bytes - 1)) bytes -= 1;
  return bytes;
}

/** A macroblock as the decoder reads it. */
export interface ReadMacroblock extends Omit<CodedMacroblock, 'levels'> {
  /** 24 blocks of 16 in rows, times their steps, with what comes from the second-order block; null if skipped. */
  readonly coefficients: Int16Array | null;
}

/** Reads a frame with the stages of the decoder. */
export function readFrame(payload: Buffer, across: number, down: number): ReadMacroblock[] {
  const { calls, memory, call, status } = openedFrame(payload, across, down);
  if (status !== 0) throw new Error(`the header is refused: ${status}`);
  const all: ReadMacroblock[] = [];
  for (let y = 0; y < down; y++) {
    call('readModes');
    call('leavePartition');
    call('enterPartition', 1);
    call('beginResidualRow');
    for (let x = 0; x < across; x++) {
      const record = Buffer.from(memory.buffer, call('macroblock', x), 20);
      all.push(readMacroblock(calls, memory, record, x));
    }
    if (call('isOverrun')) throw new Error('the tokens end too early');
    call('leavePartition');
    call('enterPartition', 0);
  }
  if (call('isOverrun')) throw new Error('the modes end too early');
  return all;
}

/** The decoder's stages after the header. */
function openedFrame(payload: Buffer, across: number, down: number, pages = manyPages) {
  const { calls, memory } = linked((own, position = 0, to = 0, length = 0) => {
    const part = payload.subarray(position, position + length);
    new Uint8Array(own.buffer).set(part, to);
    return part.length;
  }, pages);
  const call = (name: string, ...given: number[]) => calls[name]?.(...given) ?? 0;
  call('beginMemory');
  call('allocateLossy', 16 * across, 16 * down);
  return { calls, memory, call, status: call('startLossy', 0, payload.length) };
}

function readMacroblock(
  calls: Calls,
  memory: WebAssembly.Memory,
  record: Buffer,
  x: number,
): ReadMacroblock {
  const [chromaMode = 0, isByBlock = 0, segment = 0, isSkipped = 0] = record.subarray(16);
  let coefficients: Int16Array | null = null;
  if (isSkipped) {
    calls.skipResidual?.(x, isByBlock);
  } else {
    calls.readResidual?.(x, isByBlock, calls.stepsOf?.(segment) ?? 0);
    coefficients = new Int16Array(memory.buffer, calls.blockAt?.(0), 24 * 16).slice();
  }
  return {
    modes: [...record.subarray(0, 16)],
    chromaMode,
    isByBlock: isByBlock !== 0,
    segment,
    isSkipped: isSkipped !== 0,
    coefficients,
  };
}

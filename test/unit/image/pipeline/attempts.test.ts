import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RowDecoder, RowEncoder } from '../../../../src/image/formats/coding.ts';
import type { JpegInspection } from '../../../../src/image/formats/jpeg/inspect.ts';
import { jpeg } from '../../../../src/image/formats/jpeg/jpeg.ts';
import { outputFormat } from '../../../../src/image/formats/registry.ts';
import { execute } from '../../../../src/image/pipeline/execute.ts';
import { defaultOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { forEachRowOf, type RowSource } from '../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { type Arena, arena, sideArena } from '../../../../src/image/wasm/arena.ts';
import { maxCpuMs } from '../../../../src/image/wasm/budgets.ts';
import { CodecError, NoRoomForResult } from '../../../../src/image/wasm/codec.ts';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { jpeg as inspection, sourceOf } from '../../../support/inspections.ts';
import { answered, photoWithGainMap } from '../formats/jpeg/photo-with-gain-map.ts';

/** What an encoder of these tests does. */
interface Behaviour {
  readonly name: string;
  /** `finished`: it makes a file. */
  readonly ends: 'finished' | 'out-of-memory' | 'too-long' | 'gives-up';
  /** It goes through all rows before that. */
  readonly takesRows?: boolean;
  readonly cpuMs?: number;
  readonly maxBufferBytes?: number;
  /** The reader may take turns with it. */
  readonly inStrips?: boolean;
}

/** An attempt as it was made. */
interface Made {
  readonly name: string;
  /** Bytes that its result might have had. */
  readonly room: number;
}

let made: Made[] = [];

function encoderThat({
  name,
  ends,
  takesRows = false,
  cpuMs = 10,
  maxBufferBytes = 2000,
  inStrips = true,
}: Behaviour): RowEncoder {
  return {
    photoBytes: 1000,
    maxBytes: 1000,
    bufferBytes: 1000,
    maxBufferBytes,
    cpuMs: () => cpuMs,
    runs: inStrips ? 0 : 1,
    ...(inStrips && { strips: () => ({ rows: 64, heldBytes: 0, runs: 1 }) }),
    *encode(rows, { maxBytes, bufferBytes }) {
      made.push({ name, room: Math.min(maxBytes, bufferBytes) });
      if (takesRows) yield* forEachRowOf(rows, () => {});
      else yield* rows.start();
      if (ends === 'finished') return { parts: [new Uint8Array(10)], quality: 80 };
      if (ends === 'too-long') throw new NoRoomForResult(name);
      throw new CodecError(name, ends === 'out-of-memory', ends);
    },
  };
}

function writersAre(inArena: readonly Behaviour[], aside: readonly Behaviour[] = []): void {
  const { write } = outputFormat('webp');
  vi.spyOn(write, 'encoders').mockImplementation(() => inArena.map(encoderThat));
  const drained = aside.map((one) => ({ ...one, inStrips: false }));
  vi.spyOn(write, 'asideEncoders' as 'encoders').mockImplementation(() => drained.map(encoderThat));
}

/** Where the reader was opened. */
let opened: Arena[] = [];

/** White rows, of a reader that runs out of any memory where it is told so. */
function readerIs({ isShort = false } = {}): void {
  const open: RowDecoder<JpegInspection>['open'] = function* (
    _file,
    { width, height },
    _how,
    memory,
    use,
  ) {
    opened.push(memory);
    if (isShort) throw new CodecError('reader', true, 'no room');
    const row = new Uint8Array(4 * width).fill(255);
    const rows: RowSource = {
      width,
      height,
      *start() {},
      *next() {
        return row;
      },
      *end() {},
    };
    return yield* use(rows);
  };
  vi.spyOn(jpeg.read.decoder, 'open').mockImplementation(open as never);
}

/** What a JPEG of this size comes to that lies on its side, made a WebP. */
function outcomeOf(width: number, height: number) {
  const source = sourceOf(inspection({ width, height, orientation: 6 }), 10_000);
  const planned = plan(source, {
    ...defaultOptions,
    format: 'webp',
    quality: 80,
    metadata: 'none',
  });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  const how = { level: 'none', releaseFile: () => null } as const;
  return runAtOnce(execute(new Uint8Array(10_000), source, planned, how));
}

/** What `work` returns where so many bytes of buffers are free. */
function withFree<Result>(bytes: number, work: () => Result): Result {
  const hold = ledger.keep(ledger.freeBeside({ arena: 0, buffers: bytes }));
  try {
    return work();
  } finally {
    hold.release();
  }
}

const names = () => made.map(({ name }) => name);

beforeEach(() => {
  made = [];
  opened = [];
  readerIs();
});
afterEach(() => vi.restoreAllMocks());

describe('a reader that runs out of memory', () => {
  it('is tried once in each place, however many bands there may be', () => {
    readerIs({ isShort: true });
    const taking = { ends: 'finished', takesRows: true } as const;
    const inRows = { name: 'a', ...taking, inStrips: false };
    writersAre([inRows], [{ name: 'aside', ...taking }]);
    // too large for a raster, or for one band
    expect(outcomeOf(4000, 3000)).toMatchObject({ kind: 'refused', reason: 'too-large' });
    expect(opened).toEqual([sideArena, arena]);
  });

  it('is tried in turns with an encoder that takes strips', () => {
    readerIs({ isShort: true });
    writersAre([{ name: 'a', ends: 'finished', takesRows: true }]);
    expect(outcomeOf(4000, 3000)).toMatchObject({ kind: 'refused', reason: 'too-large' });
    expect(opened).toEqual([sideArena, arena]);
  });
});

describe('an encoder that runs out of memory', () => {
  it('hands over to the next one, and none is tried again with the same memory', () => {
    writersAre(
      [
        { name: 'a', ends: 'out-of-memory' },
        { name: 'b', ends: 'out-of-memory' },
      ],
      [{ name: 'aside', ends: 'out-of-memory' }],
    );
    expect(outcomeOf(1000, 800)).toMatchObject({ kind: 'refused', reason: 'too-large' });
    expect(names()).toEqual(['a', 'b', 'aside']);
  });

  it('is not tried again where it gave up for another reason, and that is told otherwise', () => {
    writersAre([{ name: 'a', ends: 'gives-up' }], [{ name: 'aside', ends: 'gives-up' }]);
    expect(outcomeOf(1000, 800)).toMatchObject({ kind: 'refused', reason: 'options' });
    expect(names()).toEqual(['a', 'aside']);
  });
});

describe('a result that has no room', () => {
  it('is made again with more room for it only, and by the best encoder', () => {
    writersAre([
      { name: 'a', ends: 'too-long' },
      { name: 'b', ends: 'too-long' },
    ]);
    const outcome = withFree(20e6, () => outcomeOf(1000, 800));
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'too-large' });
    expect(new Set(names())).toEqual(new Set(['a']));
    const rooms = made.map(({ room }) => room);
    expect(rooms).toEqual([...new Set(rooms)].toSorted((a, b) => a - b));
    expect(rooms.length).toBeGreaterThan(1);
  });

  it('is left to an encoder whose results are shorter by nature', () => {
    writersAre([
      { name: 'a', ends: 'too-long' },
      { name: 'same', ends: 'finished' },
      { name: 'leaner', ends: 'finished', maxBufferBytes: 1500 },
    ]);
    expect(outcomeOf(1000, 800)).toMatchObject({ kind: 'result' });
    expect(names()).toEqual(['a', 'leaner']);
  });
});

describe('attempts at a picture', () => {
  it.each([
    [0.4, 2],
    [0.6, 1],
  ])(
    'end where the next one would take more computing time than is left: %d of it',
    (share, count) => {
      writersAre([{ name: 'a', ends: 'too-long', takesRows: true, cpuMs: share * maxCpuMs }]);
      const outcome = withFree(20e6, () => outcomeOf(1000, 800));
      expect(outcome).toMatchObject({ kind: 'refused', reason: 'too-large' });
      expect(names()).toHaveLength(count);
    },
  );

  it('take no more time than they had come to when they failed', () => {
    const cpuMs = 0.7 * maxCpuMs;
    writersAre([
      { name: 'a', ends: 'out-of-memory', cpuMs },
      { name: 'b', ends: 'finished', cpuMs },
    ]);
    expect(outcomeOf(500, 400)).toMatchObject({ kind: 'result' });
    expect(names()).toEqual(['a', 'b']);
  });

  it('have the first one made, whatever it takes', () => {
    writersAre([{ name: 'a', ends: 'finished', cpuMs: 0.99 * maxCpuMs }]);
    expect(outcomeOf(500, 400)).toMatchObject({ kind: 'result' });
  });
});

describe('a gain map that does not fit beside its raster', () => {
  it('is tried again once the raster is gone', async () => {
    const file = await photoWithGainMap();
    vi.restoreAllMocks();
    const buffers: ArrayBufferLike[] = [];
    const areGone: boolean[] = [];
    const encoder: RowEncoder = {
      ...encoderThat({ name: 'a', ends: 'finished', inStrips: false }),
      *encode(rows) {
        areGone.push(buffers.every((buffer) => buffer instanceof ArrayBuffer && buffer.detached));
        if (buffers.length === 0) {
          yield* rows.start();
          buffers.push((yield* rows.next()).buffer);
          throw new NoRoomForResult('a');
        }
        return { parts: [new Uint8Array(10)], quality: 80 };
      },
    };
    vi.spyOn(jpeg.write, 'encoders').mockReturnValue([encoder]);
    answered(file, { width: 400 });
    // the map in two attempts, then the picture
    expect(areGone).toEqual([true, true, true]);
  });
});

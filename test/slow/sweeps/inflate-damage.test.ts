import { constants, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  compiledInflate,
  inflated,
  status,
} from '../../unit/image/formats/png/kernel/inflating.ts';
import { randomNumbers } from '../../unit/image/formats/png/png-writer.ts';

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledInflate();
});

type Bits = string | readonly [value: number, bits: number];

/** From groups of bits in the order in which they are read, each group as written in RFC 1951. */
function streamOf(...groups: Bits[]): Buffer {
  const bits = groups
    .map((group) =>
      typeof group === 'string'
        ? group
        : [...group[0].toString(2).padStart(group[1], '0')].toReversed().join(''),
    )
    .join('');
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) =>
    parseInt([...byte.padEnd(8, '0')].toReversed().join(''), 2),
  );
  return Buffer.from([0x78, 0x01, ...bytes, 0, 0, 0, 0, 0, 0]);
}

describe('deflated data that RFC 1951 forbids', () => {
  const lastFixed = '110';
  const lastDynamic = '101';
  const codeLengths = (...values: number[]) => values.map((value) => [value, 3] as const);

  const smallest = [lastDynamic, [0, 5], [0, 5], [0, 4]] as const;
  /** The code lengths 1, 2 and 18, a run of zeros, as '10', '11' and '0'. */
  const threeLengths = (literals: number) =>
    [
      ...[lastDynamic, [literals - 257, 5], [0, 5], [14, 4]],
      ...codeLengths(0, 0, 1, ...Array(12).fill(0), 2, 0, 2),
      ...['0', [127, 7], '0', [107, 7]],
    ] as Bits[];
  const zeros = (count: number) => ['1', [count - 11, 7]] as const;

  it.each<[string, keyof typeof status, Buffer]>([
    ['an unknown type', 'badBlock', streamOf('111')],
    ['length of a stored block', 'badBlock', streamOf('10000000', [5, 16], [5, 16])],
    [
      'a match before the beginning',
      'badDistance',
      streamOf(lastFixed, '00110000', '0000001', '00001'),
    ],
    [
      'a length that does not exist',
      'badSymbol',
      streamOf(lastFixed, '00110000', '11000110', '00000'),
    ],
    [
      'a distance that does not exist',
      'badSymbol',
      streamOf(lastFixed, '00110000', '0000001', '11110'),
    ],
    ['too many literals', 'badCode', streamOf(lastDynamic, [30, 5], [0, 5], [0, 4])],
    ['too many distances', 'badCode', streamOf(lastDynamic, [0, 5], [30, 5], [0, 4])],
    ['too many codes', 'badCode', streamOf(...smallest, ...codeLengths(1, 1, 1, 0))],
    ['incomplete code lengths', 'badCode', streamOf(...smallest, ...codeLengths(0, 0, 2, 2))],
    [
      'no length to repeat',
      'badCode',
      streamOf(...smallest, ...codeLengths(1, 0, 0, 1), '1', [0, 2]),
    ],
    ['incomplete literals', 'badCode', streamOf(...threeLengths(257), '11', '10')],
    [
      'incomplete literals and lengths',
      'badCode',
      streamOf(...threeLengths(258), '10', '10', '11'),
    ],
    ['a code that does not exist', 'badSymbol', streamOf(...threeLengths(257), '10', '10', '1')],
    [
      'a distance without a code',
      'badSymbol',
      streamOf(...threeLengths(258), '10', '10', '10', '1', '1'),
    ],
    [
      'a block that cannot end',
      'badCode',
      streamOf(...smallest, ...codeLengths(0, 0, 1, 1), ...zeros(138), ...zeros(120)),
    ],
    [
      'too many lengths',
      'badCode',
      streamOf(...smallest, ...codeLengths(0, 0, 1, 1), ...zeros(138), ...zeros(138)),
    ],
  ])('are damaged: %s', (_, expected, stream) => {
    expect(inflated(module, stream, 4).outcome).toBe(status[expected]);
    expect(() => inflateSync(stream)).toThrow();
  });

  it('are told from sound ones as zlib does, also after chance damage', () => {
    const random = randomNumbers(7);
    const content = Buffer.from(
      Array.from({ length: 400 }, () => random(random(random(256) + 1) + 1)),
    );
    let accepted = 0;
    for (const level of [0, 1, 9]) {
      for (const strategy of [constants.Z_FIXED, constants.Z_DEFAULT_STRATEGY]) {
        const stream = deflateSync(content, { level, strategy });
        for (let round = 0; round < 500; round += 1) {
          const changed = Buffer.from(stream.subarray(0, -4));
          const at = 2 + random(round % 2 === 0 ? 60 : changed.length - 2);
          changed.writeUInt8(changed.readUInt8(at) ^ (1 << random(8)), at);
          const wanted = rawInflated(changed.subarray(2));
          const sum = wanted === null ? Buffer.alloc(4) : deflateSync(wanted).subarray(-4);
          const file = Buffer.concat([changed, sum]);
          const { outcome, bytes } = inflated(module, file, wanted?.length ?? content.length);
          expect(outcome === status.sound).toBe(wanted !== null);
          if (wanted === null) continue;
          expect(bytes.equals(wanted)).toBe(true);
          accepted += 1;
        }
      }
    }
    expect(accepted).toBeGreaterThan(300);
  });

  it('that are cut short are never sound', () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * i) >> 5));
    for (const level of [0, 1, 9]) {
      const stream = deflateSync(content, { level });
      for (let length = 0; length < stream.length; length += 1) {
        const { outcome } = inflated(module, stream.subarray(0, length), content.length);
        expect(outcome, `${length} bytes`).not.toBe(status.sound);
      }
    }
  });
});

/** What zlib makes of it, the checksum aside; null if it does not accept it. */
function rawInflated(deflated: Buffer): Buffer | null {
  try {
    const { buffer, engine } = inflateRawSync(deflated, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return engine.bytesWritten === deflated.length ? buffer : null;
  } catch {
    return null;
  }
}

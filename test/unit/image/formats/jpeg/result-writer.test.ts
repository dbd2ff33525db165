import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { typicalHuffmanTables } from '../../../../../src/image/formats/jpeg/huffman-tables.ts';
import {
  type CodedComponent,
  type CodedFrame,
  endOfImage,
  frameSegments,
  huffmanSegment,
  scanSegments,
} from '../../../../../src/image/formats/jpeg/result-writer.ts';
import { acScans, dcScans, type Scan } from '../../../../../src/image/formats/jpeg/scan-script.ts';
import { makeJpeg } from '../../../../support/jpeg-maker/jpeg-maker.ts';

function component(changed: Partial<CodedComponent> = {}): CodedComponent {
  const steps = Uint16Array.from({ length: 64 }, (_, k) => k + 1);
  return { id: 1, horizontal: 1, vertical: 1, steps, dcSlot: 0, acSlot: 0, ...changed };
}

function frame(components: CodedComponent[], changed: Partial<CodedFrame> = {}): CodedFrame {
  return { process: 'sequential', width: 300, height: 200, components, ...changed };
}

/** Contents of segments by marker; there is nothing between them. */
function segments(bytes: Uint8Array): { code: number; content: number[] }[] {
  const found: { code: number; content: number[] }[] = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at]).toBe(0xff);
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    const content = Array.from(bytes.subarray(at + 4, at + 2 + length));
    expect(content).toHaveLength(length - 2);
    found.push({ code: bytes[at + 1] ?? 0, content });
    at += 2 + length;
  }
  return found;
}

const whole: Scan = { components: [0], ss: 0, se: 63, ah: 0, al: 0 };

describe('the segments before the scans', () => {
  it('are the quantization tables and the frame header', () => {
    const luma = component({ id: 7, horizontal: 2, vertical: 1 });
    const coarse = new Uint16Array(64).fill(99);
    const chroma = component({ steps: coarse, dcSlot: 1, acSlot: 1 });
    const components = [luma, { ...chroma, id: 8 }, { ...chroma, id: 9, steps: coarse.slice() }];
    const { length, ...rest } = segments(frameSegments(frame(components)));
    expect(length).toBe(2);
    expect(rest).toEqual({
      // the table that two components have stands there once
      0: { code: 0xdb, content: [0, ...luma.steps, 1, ...coarse] },
      1: { code: 0xc0, content: [8, 0, 200, 1, 44, 3, 7, 0x21, 0, 8, 0x11, 1, 9, 0x11, 1] },
    });
  });

  it('have steps of 16 bits only where a table needs them', () => {
    const wide = new Uint16Array(64).fill(0x0102);
    const components = [component(), component({ id: 2, steps: wide })];
    const [tables, header] = segments(frameSegments(frame(components)));
    const steps = Array.from({ length: 64 }, () => [1, 2]).flat();
    expect(tables?.content).toEqual([0, ...component().steps, 0x11, ...steps]);
    expect(header?.code).toBe(0xc1);
  });

  it.each([
    ['baseline', {}, {}, 0xc0],
    ['extended with a third DC table', {}, { dcSlot: 2 }, 0xc1],
    ['extended with a third AC table', {}, { acSlot: 2 }, 0xc1],
    ['progressive', { process: 'progressive' }, { dcSlot: 2 }, 0xc2],
  ] as const)('say that the frame is %s', (_, ofFrame, ofComponent, code) => {
    const made = frame([component(), component({ id: 2, ...ofComponent })], ofFrame);
    expect(segments(frameSegments(made))[1]?.code).toBe(code);
  });

  it('give a single component no sampling factors', () => {
    const made = frame([component({ horizontal: 2, vertical: 2 })]);
    expect(segments(frameSegments(made))[1]?.content.slice(-3)).toEqual([1, 0x11, 0]);
  });
});

describe('the segments before a scan', () => {
  const table = (symbol: number) => ({
    counts: Uint8Array.from({ length: 16 }, (_, i) => (i === 0 ? 1 : 0)),
    symbols: Uint8Array.of(symbol),
  });
  const definition = (head: number, symbol: number) => [head, ...table(symbol).counts, symbol];
  const tables = { dc: [table(1), table(2)], ac: [table(3), table(4)] };
  const components = [
    component(),
    component({ id: 2, dcSlot: 1, acSlot: 1 }),
    component({ id: 3, dcSlot: 1, acSlot: 1 }),
  ];

  it('are the tables that a sequential scan uses, and its header', () => {
    const scan = { ...whole, components: [0, 1, 2] };
    expect(segments(scanSegments(components, scan, tables))).toEqual([
      {
        code: 0xc4,
        content: [
          ...[...definition(0, 1), ...definition(1, 2)],
          ...[...definition(0x10, 3), ...definition(0x11, 4)],
        ],
      },
      { code: 0xda, content: [3, 1, 0x00, 2, 0x11, 3, 0x11, 0, 63, 0] },
    ]);
  });

  it('leave out what others use', () => {
    const scan = { ...whole, components: [1] };
    const [huffman, header] = segments(scanSegments(components, scan, tables));
    expect(huffman?.content).toEqual([...definition(1, 2), ...definition(0x11, 4)]);
    expect(header?.content).toEqual([1, 2, 0x11, 0, 63, 0]);
  });

  it('name only the kind of table that a progressive scan uses', () => {
    const written = (scan: Scan) => segments(scanSegments(components, scan, tables));
    expect(written({ components: [1, 2], ss: 0, se: 0, ah: 0, al: 1 })).toEqual([
      { code: 0xc4, content: definition(1, 2) },
      { code: 0xda, content: [2, 2, 0x10, 3, 0x10, 0, 0, 0x01] },
    ]);
    expect(written({ components: [1], ss: 6, se: 63, ah: 2, al: 1 })).toEqual([
      { code: 0xc4, content: definition(0x11, 4) },
      { code: 0xda, content: [1, 2, 0x01, 6, 63, 0x21] },
    ]);
    expect(written({ components: [0, 1], ss: 0, se: 0, ah: 1, al: 0 })).toEqual([
      { code: 0xda, content: [2, 1, 0, 2, 0, 0, 0, 0x10] },
    ]);
  });

  it('cannot be written without a table that the scan uses', () => {
    expect(() => huffmanSegment(components, whole, { dc: [], ac: [] })).toThrow(RangeError);
  });
});

describe('a file of these segments', () => {
  const content = {
    ...{ width: 45, height: 29 },
    components: [{ horizontal: 2, vertical: 2 }, {}, {}],
    coefficients: (c: number, x: number, y: number) => [x * 9 - y * 5, 7 - c, x, 0, c * y, 0, 1],
  };
  const components = content.components.map(({ horizontal = 1, vertical = 1 }, c) =>
    component({
      id: c + 1,
      horizontal,
      vertical,
      steps: new Uint16Array(64).fill(c < 2 ? 3 : 300),
    }),
  );
  const madeTables = [new Uint8Array(64).fill(3), new Uint16Array(64).fill(300)];
  const [dc, ac] = [typicalHuffmanTables.dc[0], typicalHuffmanTables.ac[0]];
  if (!dc || !ac) throw new Error('no tables');

  it.each([
    ['sequential', [{ ...whole, components: [0, 1, 2] }]],
    ['sequential', [0, 1, 2].map((c) => ({ ...whole, components: [c] }))],
    [
      'progressive',
      [
        ...dcScans({ groups: [[0], [1, 2]], bits: 1 }),
        ...[0, 1, 2].flatMap((c) => acScans(c, { split: 63, low: 0, high: 0 })),
      ],
    ],
  ] as const)('decodes as its coefficients say: %s', async (process, scans) => {
    const made = makeJpeg({
      ...content,
      components: content.components.map((one, c) => ({ ...one, table: c < 2 ? 0 : 1 })),
      tables: madeTables,
      scans,
      huffmanTables: { dc, ac },
    });
    const file = joinBytes(
      Uint8Array.of(0xff, 0xd8),
      frameSegments({ process, width: 45, height: 29, components }),
      ...codedData(made).flatMap((data, i) => {
        const scan = scans[i] ?? whole;
        return [scanSegments(components, scan, { dc: [dc], ac: [ac] }), data];
      }),
      endOfImage,
    );
    const pixels = (bytes: Uint8Array) => sharp(bytes, { failOn: 'warning' }).raw().toBuffer();
    expect((await pixels(file)).equals(await pixels(made))).toBe(true);
  });
});

/** What stands behind each header of a scan. */
function codedData(file: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 2; file[at + 1] !== 0xd9; ) {
    const isScan = file[at + 1] === 0xda;
    const start = at + 2 + ((file[at + 2] ?? 0) << 8) + (file[at + 3] ?? 0);
    at = start;
    if (!isScan) continue;
    while (file[at] !== 0xff || file[at + 1] === 0) at += 1;
    found.push(file.subarray(start, at));
  }
  return found;
}

import type { Coding, Row } from './measured.ts';

type Cell = readonly [heading: string, width: number, of: (rows: readonly Row[]) => string];
type Pick = (row: Row) => number | undefined;

/** Sums and means of one row or of many; ratios are those of sums over rows that have both. */
const cells: readonly Cell[] = [
  ['bytes in', 10, (rows) => String(sum(rows, ({ fileBytes }) => fileBytes))],
  ['auto', 10, (rows) => text(sum(rows, ({ auto }) => auto.bytes))],
  ['pngquant', 10, (rows) => text(sum(rows, ({ pngquant }) => pngquant.bytes))],
  ['ratio', 7, (rows) => ratio(rows, 'auto', 'pngquant', 'bytes')],
  ['jsquash', 8, (rows) => ratio(rows, 'auto', 'jsquash', 'bytes')],
  [
    'score',
    8,
    (rows) =>
      text(
        mean(rows, ({ auto }) => auto.score),
        2,
      ),
  ],
  [
    'theirs',
    8,
    (rows) =>
      text(
        mean(rows, ({ pngquant }) => pngquant.score),
        2,
      ),
  ],
  ['CPU ms', 8, (rows) => text(sum(rows, ({ auto }) => auto.time))],
  ['ratio', 7, (rows) => ratio(rows, 'auto', 'jsquash', 'time')],
  ['lossless', 10, (rows) => text(sum(rows, ({ lossless }) => lossless.bytes))],
  ['oxipng', 10, (rows) => text(sum(rows, ({ oxipng }) => oxipng.bytes))],
  ['ratio', 8, (rows) => ratio(rows, 'lossless', 'oxipng', 'bytes', 4)],
  ['same', 9, same],
  ['CPU ms', 8, (rows) => text(sum(rows, ({ lossless }) => lossless.time))],
  ['ratio', 7, (rows) => ratio(rows, 'lossless', 'oxipng', 'time')],
  ['MiB', 7, (rows) => text(mebibytes(most(rows, ({ auto }) => auto.memory)), 1)],
  ['oxipng', 8, (rows) => text(mebibytes(most(rows, ({ oxipng }) => oxipng.memory)), 1)],
];

const nameWidth = 30;

export function printHeadings(): void {
  const headings = cells.map(([heading, width]) => heading.padStart(width));
  console.log(`${''.padEnd(nameWidth)}${headings.join('')}  made`);
}

/** One line: of one picture, or of several together. */
export function printLine(name: string, rows: readonly Row[]): void {
  const [only] = rows.length === 1 ? rows : [];
  const figures = cells.map(([, width, of]) => of(rows).padStart(width));
  const label = name.slice(0, nameWidth - 1).padEnd(nameWidth);
  console.log(`${label}${figures.join('')}  ${only?.made ?? ''}`);
}

function ratio(
  rows: readonly Row[],
  ours: 'auto' | 'lossless',
  theirs: 'pngquant' | 'jsquash' | 'oxipng',
  what: keyof Coding,
  digits = 3,
): string {
  const both = rows.filter((row) => row[ours][what] && row[theirs][what]);
  const [own, other] = [sum(both, (row) => row[ours][what]), sum(both, (row) => row[theirs][what])];
  return text(own && other && own / other, digits);
}

function same(rows: readonly Row[]): string {
  const told = rows.flatMap(({ isSame }) => isSame ?? []);
  const [only] = rows.length === 1 ? told : [];
  if (only !== undefined) return only ? 'yes' : 'NO';
  return told.length === 0 ? '–' : `${told.filter(Boolean).length}/${told.length}`;
}

function valuesOf(rows: readonly Row[], pick: Pick): number[] {
  return rows.map(pick).filter((value) => value !== undefined);
}

function sum(rows: readonly Row[], pick: Pick): number | undefined {
  const values = valuesOf(rows, pick);
  return values.length === 0 ? undefined : values.reduce((all, value) => all + value, 0);
}

function mean(rows: readonly Row[], pick: Pick): number | undefined {
  const values = valuesOf(rows, pick);
  return values.length === 0 ? undefined : (sum(rows, pick) ?? 0) / values.length;
}

function most(rows: readonly Row[], pick: Pick): number | undefined {
  const values = valuesOf(rows, pick);
  return values.length === 0 ? undefined : Math.max(...values);
}

function mebibytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : bytes / 2 ** 20;
}

function text(value: number | undefined, digits = 0): string {
  return value === undefined ? '–' : value.toFixed(digits);
}

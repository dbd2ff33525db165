import { memoryBudget } from '../../../src/image/wasm/budgets.ts';
import type { Plot, Table } from '../../harness/section.ts';
import { mebibytes } from '../../measures/figures.ts';
import {
  type Configuration,
  type Kind,
  nameOf,
  nameOfGroup,
  type RequestGroup,
} from './configurations.ts';

const mebibyte = 2 ** 20;

/** A configuration with its measurements; sizes are in bytes. */
export interface Measured {
  readonly configuration: Configuration;
  readonly pixels: number;
  readonly fileBytes: number;
  readonly status: number;
  readonly predicted: number;
  /** The maximum of all readings, including the arenas of an idle service. */
  readonly measured: number;
  /** The most memory that earlier warm-up pictures can have left for it, which the measurement would miss. */
  readonly unseen: number;
  /** The minimum of all readings. */
  readonly milliseconds: number;
}

/** Requests sent to one service, and their combined measurements. */
export interface MeasuredGroup {
  readonly group: RequestGroup;
  readonly fileBytes: readonly number[];
  /** In the order of the responses. */
  readonly statuses: readonly number[];
  readonly measured: number;
  readonly milliseconds: number;
}

/** Memory limit of an isolate, in bytes. */
const isolateLimit = 128e6;

/**
 * Failed expectations. Requests sent in parallel may be refused with 503, but not all of them. The largest file may be
 * resident a second time after it has been freed.
 */
export function groupFailures(rows: readonly MeasuredGroup[]): string[] {
  return rows.flatMap(({ group, statuses, fileBytes, measured }) => {
    const name = nameOfGroup(group);
    const isFair =
      statuses.includes(200) &&
      statuses.every((status) => status === 200 || (status === 503 && group.areParallel));
    if (!isFair) return [`${name}: answered ${statuses.join(', ')}`];
    const allowed = Math.min(isolateLimit, memoryBudget + Math.max(...fileBytes));
    return measured > allowed
      ? [`${name}: ${mebibytes(measured)} MiB measured, ${mebibytes(allowed)} allowed`]
      : [];
  });
}

export function groupTable(rows: readonly MeasuredGroup[]): Table {
  return {
    caption: 'Memory of several requests in MiB, in one service',
    columns: ['', 'files MiB', 'statuses', 'measured', 'ms'],
    rows: rows.map(({ group, fileBytes, statuses, measured, milliseconds }) => [
      nameOfGroup(group),
      fileBytes.map(mebibytes).join(', '),
      statuses.join(', '),
      mebibytes(measured),
      milliseconds.toFixed(0),
    ]),
  };
}

/** Failed expectations, one sentence each. */
export function failuresOf(rows: readonly Measured[]): string[] {
  return rows.flatMap((row) => {
    const { configuration, pixels, status, predicted, measured } = row;
    const name = `${nameOf(configuration)}, ${megapixels(pixels)} MP`;
    if (status !== 200) return [`${name}: answered ${status}`];
    return [
      ...(measured > memoryBudget
        ? [`${name}: ${mebibytes(measured)} MiB measured, ${mebibytes(memoryBudget)} allowed`]
        : []),
      ...(measured > predicted
        ? [`${name}: ${mebibytes(measured)} MiB measured, ${mebibytes(predicted)} predicted`]
        : []),
    ];
  });
}

export function memoryTable(rows: readonly Measured[]): Table {
  return {
    caption: 'Memory of one request in MiB, in a service that does nothing else',
    columns: ['', 'megapixels', 'file MiB', 'status', 'predicted', 'measured', 'unseen', 'ms'],
    rows: rows.map(({ configuration, ...row }) => [
      nameOf(configuration),
      megapixels(row.pixels),
      mebibytes(row.fileBytes),
      String(row.status),
      mebibytes(row.predicted),
      mebibytes(row.measured),
      mebibytes(row.unseen),
      row.milliseconds.toFixed(0),
    ]),
  };
}

/** Measured memory by megapixels, and by prediction. */
export function memoryPlots(rows: readonly Measured[]): Plot[] {
  const kinds = [...new Set(rows.map(({ configuration: { kind } }) => kind))];
  const seriesOf = (x: (row: Measured) => number) =>
    kinds.map((kind) => ({
      name: kind,
      mark: 'points' as const,
      points: ofKind(rows, kind).map((row) => ({ x: x(row), y: row.measured / mebibyte })),
    }));
  const budget = memoryBudget / mebibyte;
  const sizes = rows.map(({ pixels }) => pixels / 1e6);
  const y = { title: 'measured, MiB', scale: 'linear', fromZero: true } as const;
  return [
    {
      name: 'memory-megapixels',
      title: 'Memory of one request',
      x: { title: 'megapixels of the source', scale: 'log' },
      y,
      series: [
        ...seriesOf(({ pixels }) => pixels / 1e6),
        line('budget', [
          { x: Math.min(...sizes), y: budget },
          { x: Math.max(...sizes), y: budget },
        ]),
      ],
    },
    {
      name: 'memory-predicted',
      title: 'Memory of one request, against what the ledger counts',
      x: { title: 'predicted, MiB', scale: 'linear', fromZero: true },
      y,
      series: [
        ...seriesOf(({ predicted }) => predicted / mebibyte),
        line('as predicted', [
          { x: 0, y: 0 },
          { x: budget, y: budget },
        ]),
      ],
    },
  ];
}

function line(name: string, points: readonly { x: number; y: number }[]) {
  return { name, mark: 'line' as const, isReference: true, points };
}

function ofKind(rows: readonly Measured[], kind: Kind): Measured[] {
  return rows.filter(({ configuration }) => configuration.kind === kind);
}

function megapixels(pixels: number): string {
  return (pixels / 1e6).toFixed(1);
}

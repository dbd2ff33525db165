import type { Table } from '../harness/section.ts';
import { figure, ratio } from '../measures/figures.ts';
import { type Reached, reachedBy } from './measured.ts';
import { type Answer, answerTo, bytesOf, qualityText } from './results.ts';
import type { Subject } from './subject.ts';

/** An APNG or animated WebP, optimized in its own format and converted to WebP. */
export interface MeasuredKept {
  readonly subject: Subject;
  readonly lossless: Answer;
  readonly auto: Answer;
  /** Converted to WebP. */
  readonly reached: Reached;
}

export async function measuredKept(subject: Subject): Promise<MeasuredKept> {
  const { file, type } = subject;
  const lossless = answerTo(file, { quality: 'lossless' });
  const reached = await reachedBy(subject, 'webp');
  const auto = type === 'webp' ? reached.answer : answerTo(file, {});
  return { subject, lossless, auto, reached };
}

/** Bytes compared with those of the original. */
export function keptTable(name: string, files: readonly MeasuredKept[]): Table {
  const rows = files.map(({ subject: { file }, lossless, auto }) => ({
    name: file.name,
    before: file.bytes.length,
    lossless: bytesOf(lossless) ?? undefined,
    auto: bytesOf(auto) ?? undefined,
    qualities: [lossless, auto].map(qualityText),
  }));
  const sum = (pick: (row: (typeof rows)[number]) => number | undefined) =>
    rows.reduce((all, row) => all + (pick(row) ?? row.before), 0);
  const all = {
    name: `all ${rows.length}`,
    before: sum(({ before }) => before),
    lossless: sum(({ lossless }) => lossless),
    auto: sum(({ auto }) => auto),
    qualities: ['', ''],
  };
  return {
    caption: `${name} kept: bytes against what came in`,
    columns: [
      ...['', 'original', 'lossless', 'ratio', 'written with'],
      ...['auto', 'ratio', 'written with'],
    ],
    rows: [...rows, all].map(({ name: row, before, lossless, auto, qualities }) => [
      ...[row, figure(before)],
      ...[figure(lossless), figure(ratio(lossless, before), 3), qualities[0] ?? ''],
      ...[figure(auto), figure(ratio(auto, before), 3), qualities[1] ?? ''],
    ]),
  };
}

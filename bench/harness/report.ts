import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { jpegtranBuild } from '../codecs/peers.ts';
import { spent } from '../measures/cpu-time.ts';
import { plotSvg } from './plots.ts';
import type { BenchSettings, Corpus, Part, Section, Table } from './section.ts';

interface Circumstances {
  readonly date: Date;
  /** Lines of a list. */
  readonly machine: readonly string[];
  readonly corpus: Corpus;
}

/** Writes `README.md` and its plots to a folder. */
export async function writeReport(
  folder: string,
  circumstances: Circumstances,
  outcomes: readonly Outcome[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const outcome of outcomes) {
    if (outcome.kind === 'broken') continue;
    for (const plot of outcome.section.plots) {
      await writeFile(join(folder, plotFile(plot.name)), await plotSvg(plot));
    }
  }
  await writeFile(join(folder, 'README.md'), report(circumstances, outcomes));
}

/** Renders the report in Markdown. */
export function report(circumstances: Circumstances, outcomes: readonly Outcome[]): string {
  const failures = failuresOf(outcomes);
  const sections = outcomes.map((outcome) =>
    outcome.kind === 'measured'
      ? sectionText(outcome.section)
      : `## ${outcome.name}\n\nNot measured:\n\n\`\`\`\n${outcome.reason}\n\`\`\``,
  );
  const parts = [
    '# Bench',
    list(circumstancesOf(circumstances)),
    ...(failures.length > 0 ? ['## Failures', list(failures)] : []),
    ...sections,
    '## How long it took',
    list(outcomes.map(duration)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function duration({ name, minutes, cpuMinutes }: Outcome): string {
  return `${name}: ${minutes.toFixed(1)} minutes, ${cpuMinutes.toFixed(1)} of CPU time`;
}

function circumstancesOf({ date, machine, corpus }: Circumstances): string[] {
  const { name, photos, exactPhotos, graphics, translucent, animations } = corpus;
  const counts = `${photos.length} camera photos, ${exactPhotos.length} exact photos, ${graphics.length} graphics, ${translucent.length} pictures with alpha, ${animations.length} animations`;
  return [`${date.toISOString().slice(0, 10)}`, ...machine, `pictures: ${name}; ${counts}`];
}

function sectionText({ title, text, tables, plots }: Section): string {
  return [
    `## ${title}`,
    text,
    ...plots.map((plot) => `![${plot.title}](${plotFile(plot.name)})`),
    ...tables.map(markdownTable),
  ].join('\n\n');
}

function plotFile(name: string): string {
  return `${name}.svg`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** The outcome of one part. */
export type Outcome = {
  readonly name: string;
  readonly minutes: number;
  /** CPU time in minutes; on Linux, it includes programs and services that have ended. */
  readonly cpuMinutes: number;
} & (
  | { readonly kind: 'measured'; readonly section: Section }
  | { readonly kind: 'broken'; readonly reason: string }
);

/** Milliseconds per minute. */
const minute = 60_000;

/** Runs a part and prints its tables; a part that throws yields an outcome, too. */
export async function outcomeOf(part: Part, settings: BenchSettings): Promise<Outcome> {
  const { name } = part;
  const [start, spentBefore] = [performance.now(), spent()];
  const taken = () => ({
    minutes: (performance.now() - start) / minute,
    cpuMinutes: (spent() - spentBefore) / minute,
  });
  settings.say(`\n${name}`);
  try {
    const section = await part.measure(settings);
    for (const table of section.tables) settings.say(`\n${terminalTable(table)}`);
    return { kind: 'measured', name, ...taken(), section };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: 'broken', name, ...taken(), reason };
  }
}

/** Failed expectations, each with the part that found it. */
export function failuresOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind === 'broken') {
      const [reason = ''] = outcome.reason.split('\n');
      return [`${outcome.name}: not measured, ${reason}`];
    }
    return outcome.section.failures.map((failure) => `${outcome.name}: ${failure}`);
  });
}

/** Formats a table for the terminal: the first column left-aligned, figures right-aligned. */
export function terminalTable({ caption, columns, rows }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const printed = lines.map((cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
  return [caption, ...printed].join('\n');
}

/** Formats a table in Markdown. */
export function markdownTable({ caption, columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = columns.map((_, column) => (column === 0 ? '---' : '---:'));
  return [`**${escaped(caption)}**`, '', line(columns), line(rule), ...rows.map(line)].join('\n');
}

/** Escapes characters that would end a cell or start markup in it. */
function escaped(text: string): string {
  return text.replace(/[|*_<\\]/g, '\\$&');
}

/** The machine and the software versions, as lines of a list. */
export function machine(): readonly string[] {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(1);
  return [
    `${first?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${memory} GiB`,
    `${process.platform} ${process.arch}, Node ${process.versions.node}, workerd ${versionOf('workerd')}`,
    `beside it: ${peers.map((name) => `${name} ${versionOf(name)}`).join(', ')}`,
    `libvips ${sharp.versions.vips}, MozJPEG ${sharp.versions.mozjpeg}, libaom ${sharp.versions.aom}, libwebp ${sharp.versions.webp} in sharp`,
    `programs: ${[`jpegtran ${jpegtranBuild()}`, ...programs.map(([name, flag]) => `${name} ${versionOfProgram(name, flag)}`)].join(', ')}`,
  ];
}

const peers = [
  'sharp',
  '@jsquash/jpeg',
  '@jsquash/png',
  '@jsquash/oxipng',
  '@jsquash/webp',
  '@jsquash/avif',
  '@jsquash/resize',
];

const programs = [
  ['pngquant', '--version'],
  ['cwebp', '-version'],
  ['avifenc', '--version'],
  ['gifsicle', '--version'],
  ['gif2webp', '-version'],
] as const;

function versionOfProgram(name: string, flag: string): string {
  const { error, stdout, stderr } = spawnSync(name, [flag], { encoding: 'utf8' });
  if (error) return 'not installed';
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'of unknown version';
}

const require = createRequire(import.meta.url);

/** The version of a package. Packages need not export their package.json, so it is looked up in the module paths. */
function versionOf(name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')).version;
    } catch {}
  }
  return 'unknown';
}

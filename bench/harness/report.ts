import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failuresOf, type Outcome } from './outcome.ts';
import { plotSvg } from './plot.ts';
import type { Corpus, Section } from './section.ts';
import { markdownTable } from './table.ts';

export interface Circumstances {
  readonly date: Date;
  /** Lines of a list. */
  readonly machine: readonly string[];
  readonly corpus: Corpus;
}

/** Writes `README.md` and its plots into a folder. */
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

/** The report in Markdown. */
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
  const { name, photos, exactPhotos, graphics, translucent } = corpus;
  const counts = `${photos.length} camera photos, ${exactPhotos.length} exact photos, ${graphics.length} graphics, ${translucent.length} pictures with alpha`;
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

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plotSvg } from '../../../bench/harness/plots.ts';
import {
  markdownTable,
  outcomeOf,
  report,
  terminalTable,
  writeReport,
} from '../../../bench/harness/report.ts';
import type { Part, Plot, Section } from '../../../bench/harness/section.ts';

const plot: Plot = {
  name: 'part-bytes',
  title: 'Bytes by score',
  x: { title: 'bytes per pixel', scale: 'log' },
  y: { title: 'MiB', scale: 'linear', fromZero: true },
  series: [
    {
      name: 'ours, auto',
      mark: 'line',
      points: [
        { x: 0.1, y: 1 },
        { x: 0.4, y: 2 },
      ],
    },
    { name: 'a peer', mark: 'points', points: [{ x: 0.2, y: 1.5 }] },
    {
      name: 'the budget',
      mark: 'line',
      isReference: true,
      points: [
        { x: 0.1, y: 3 },
        { x: 0.4, y: 3 },
      ],
    },
  ],
};
const section: Section = {
  title: 'A part',
  text: 'What was done.',
  tables: [
    {
      caption: 'Figures',
      columns: ['name', 'bytes'],
      rows: [
        ['a|b', '7'],
        ['long', '10'],
      ],
    },
  ],
  plots: [plot],
  failures: ['something does not hold'],
};
const circumstances = {
  date: new Date('2026-01-02T03:04:05Z'),
  machine: ['a processor'],
  corpus: {
    name: 'pictures',
    photos: [],
    exactPhotos: [],
    graphics: [],
    translucent: [],
    animations: [],
    files: [],
  },
};
const part = (measure: Part['measure']): Part => ({ name: 'part', measure });

describe('a table', () => {
  it('has its figures to the right on the terminal', () => {
    const [table] = section.tables;
    expect(table && terminalTable(table)).toBe('Figures\nname  bytes\na|b       7\nlong     10');
  });

  it('is a table in Markdown, a bar in a cell notwithstanding', () => {
    const [table] = section.tables;
    expect(table && markdownTable(table)).toBe(
      '**Figures**\n\n| name | bytes |\n| --- | ---: |\n| a\\|b | 7 |\n| long | 10 |',
    );
  });
});

describe('a plot', () => {
  it('is an SVG with its axes, every series and what holds for all', async () => {
    const svg = await plotSvg(plot);
    expect(svg).toMatch(/^<svg .*<\/svg>$/s);
    for (const text of [
      'Bytes by score',
      'bytes per pixel',
      'MiB',
      'ours, auto',
      'a peer',
      'the budget',
    ]) {
      expect(svg).toContain(`>${text}</text>`);
    }
    expect(svg).toContain('stroke="#d55e00"');
    expect(svg).toContain('stroke-dasharray="5,4"');
  });
});

describe('the report', () => {
  it('goes on where a part breaks, and names it among the failures', async () => {
    const said: string[] = [];
    const settings = { corpus: circumstances.corpus, say: (line: string) => said.push(line) };
    const outcomes = [
      await outcomeOf(
        part(() => Promise.reject(new Error('no such codec'))),
        settings,
      ),
      await outcomeOf(
        part(() => Promise.resolve(section)),
        settings,
      ),
    ];
    expect(said.join('\n')).toContain('long     10');
    const text = report(circumstances, outcomes);
    expect(text).toContain(
      '- part: not measured, Error: no such codec\n- part: something does not hold',
    );
    expect(text).toContain(
      '## A part\n\nWhat was done.\n\n![Bytes by score](part-bytes.svg)\n\n**Figures**',
    );
    expect(text).toContain('- 2026-01-02\n- a processor\n- pictures: pictures; 0 camera photos');
    expect(text).toContain('- part: 0.0 minutes, 0.0 of CPU time');
  });

  it('has no failures where there are none', () => {
    const sound = { ...section, failures: [] };
    const text = report(circumstances, [
      { kind: 'measured', name: 'part', minutes: 1, cpuMinutes: 1.5, section: sound },
    ]);
    expect(text).not.toContain('Failures');
  });

  it('lies in its folder beside its plots', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'report-'));
    try {
      const outcome = {
        kind: 'measured',
        name: 'part',
        minutes: 1,
        cpuMinutes: 1.5,
        section,
      } as const;
      await writeReport(join(folder, 'new'), circumstances, [outcome]);
      expect(await readFile(join(folder, 'new/README.md'), 'utf8')).toContain('part-bytes.svg');
      expect(await readFile(join(folder, 'new/part-bytes.svg'), 'utf8')).toContain('<svg');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

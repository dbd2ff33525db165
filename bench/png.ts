/**
 * `npm run bench:png [-- [--out <folder>] [--quality <1–100>] <folder>…]`: PNG to PNG by the service
 * beside pngquant (where it is installed) with oxipng, @jsquash/png (decode and encode) with oxipng, and
 * oxipng alone for what is lossless; all level 2 of @jsquash/oxipng. Bytes are those of PNGs without
 * metadata, likeness is SSIMULACRA2 on mid grey, CPU time and memory stand beside those of WebAssembly
 * (pngquant is native), memory is what the kernel takes of the arena. Files before and after, and where
 * they differ most, go into a folder to be looked at. Ends with status 1 when a lossless answer has
 * other samples.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measured, type Row } from './png/measured.ts';
import { pictures } from './png/pictures.ts';
import { writeSideBySide } from './png/side-by-side.ts';
import { printHeadings, printLine } from './png/table.ts';

const { values, positionals } = parseArgs({
  options: { out: { type: 'string' }, quality: { type: 'string' } },
  allowPositionals: true,
});
const out = values.out ?? (await mkdtemp(join(tmpdir(), 'bench-png-')));
const groups = new Map<string, Row[]>();

printHeadings();
for await (const picture of pictures(positionals)) {
  const { group, name } = picture;
  try {
    const { versions, ...row } = measured(
      picture,
      values.quality ? Number(values.quality) : 'auto',
    );
    printLine(name, [row]);
    if (row.isSame === false) process.exitCode = 1;
    groups.set(group, [...(groups.get(group) ?? []), row]);
    await writeSideBySide(join(out, group, name), versions);
  } catch (error) {
    console.log(`${name}: left out, ${(error as Error).message}`);
  }
}

console.log('\nsums, means of scores, most memory');
for (const [group, rows] of groups) summary(group, rows);
if (groups.size > 1) summary('all', [...groups.values()].flat());
console.log(`\nbefore and after: ${out}`);

function summary(name: string, rows: readonly Row[]): void {
  printLine(`${name}, ${rows.length}`, rows);
  const palettes = rows.filter(({ made }) => made.startsWith('palette')).length;
  const unchanged = rows.filter(({ made }) => made.endsWith('=')).length;
  const ours = lowest(rows, ({ auto }) => auto.score);
  const theirs = lowest(rows, ({ pngquant }) => pngquant.score);
  console.log(
    `  palettes ${palettes}, unchanged to the eye ${unchanged}, lowest score ${ours}, theirs ${theirs}`,
  );
}

function lowest(rows: readonly Row[], pick: (row: Row) => number | undefined): string {
  const scores = rows.map(pick).filter((score) => score !== undefined);
  return scores.length === 0 ? '–' : Math.min(...scores).toFixed(2);
}

/**
 * Finds the smallest arena with which every codec step succeeds, and compares it with the step's `arenaBytes`:
 *
 *     node --import ./test/support/wasm-loader.ts bench/tuning/codec-memory.ts [part of a step's name]
 *
 * The complete run takes hours; `avif-decode` or `webp-encode quality:80` takes a few minutes. Prints the extremes of
 * each step, and exits with status 1 if a prediction was too low.
 */
import { arenaBirthBytes } from '../../src/image/wasm/arena.ts';
import { type Case, cases } from './codec-memory/cases.ts';
import { type Content, renderContent, type Size } from './codec-memory/contents.ts';
import { limit, type Measurement, measure } from './codec-memory/measure.ts';

const wanted = process.argv[2] ?? '';
/** Maximum side of WebP. */
const webpSide = 16_383;

interface Worst {
  /** Predicted over measured. */
  least: number;
  greatest: number;
}

const summary = new Map<string, Worst>();
for (const entry of cases.filter(({ step }) => step.includes(wanted))) {
  for (const size of entry.sizes) {
    if (entry.step.startsWith('webp') && Math.max(size.width, size.height) > webpSide) continue;
    for (const content of entry.contents) await line(entry, size, content);
  }
}

console.log('\nPredicted over measured, where more than the arena of birth is needed');
for (const [step, { least, greatest }] of summary) {
  console.log(`${step.padEnd(60)} ${least.toFixed(3)} to ${greatest.toFixed(3)}`);
}
process.exitCode = [...summary.values()].some(({ least }) => least < 1) ? 1 : 0;

async function line({ step, hasAlpha, make }: Case, size: Size, content: Content): Promise<void> {
  const picture = await renderContent(content, size, hasAlpha);
  const made = await make(picture);
  const measured = await measure(made);
  const input = 'file' in made ? made.file.length : picture.data.length;
  const where = `${step.padEnd(60)} ${content.padEnd(12)} ${size.width}×${size.height}`.padEnd(85);
  if (!measured) {
    console.log(`${where} fails with ${mebibytes(limit)} MiB`);
    return;
  }
  note(step, measured);
  const { arenaBytes, predicted, bytes } = measured;
  const perPixel = arenaBytes / (size.width * size.height);
  console.log(
    where,
    `${input} → ${bytes} bytes`.padEnd(30),
    `${mebibytes(arenaBytes)} MiB, predicted ${mebibytes(predicted)}`,
    `(${(predicted / arenaBytes).toFixed(3)}), ${perPixel.toFixed(2)} bytes per pixel`,
  );
}

function note(step: string, { arenaBytes, predicted }: Measurement): void {
  if (arenaBytes <= arenaBirthBytes && predicted <= arenaBirthBytes) return;
  const ratio = predicted / arenaBytes;
  const { least, greatest } = summary.get(step) ?? { least: ratio, greatest: ratio };
  summary.set(step, { least: Math.min(least, ratio), greatest: Math.max(greatest, ratio) });
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(2);
}

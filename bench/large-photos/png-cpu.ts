import { answer } from '../png/answer.ts';
import { byJsquashPng } from '../png/jsquash-png.ts';
import { Oxipng } from '../png/oxipng.ts';
import type { LargePicture } from './picture.ts';

/**
 * Prints what a large PNG takes of CPU time and comes to in bytes, without loss and with, beside @jsquash/png (decode and
 * encode) and oxipng level 2: one run each, in this process.
 */
export function printPngCpu({ name, type, file }: LargePicture): void {
  const bytes = Uint8Array.from(file);
  const theirs = timed(() => new Oxipng().optimise(byJsquashPng(bytes)));
  for (const quality of ['auto', 'lossless'] as const) {
    const ours = timed(() => answer(bytes, quality));
    const cells = [
      ...[ours.seconds, theirs.seconds].map((seconds) => seconds.toFixed(1)),
      (ours.seconds / theirs.seconds).toFixed(2),
      ...[ours.bytes, theirs.bytes].map(String),
    ];
    const columns = cells.map((cell) => cell.padStart(11)).join('');
    console.log(`${`${name} ${type}, quality=${quality}`.padEnd(62)}${columns}`);
  }
}

function timed(work: () => Uint8Array | undefined): { seconds: number; bytes: number } {
  const before = process.cpuUsage();
  const bytes = work()?.length ?? 0;
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, bytes };
}

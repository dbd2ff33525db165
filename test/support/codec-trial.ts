/**
 * One run of one codec in an arena of a chosen size. A worker thread has its
 * own modules and therefore an arena of its own, which ends with the thread:
 * the only way to give a codec less memory than the run before it had.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Step } from './codec-steps.ts';

export interface Trial {
  readonly step: Step;
  /** `predicted`: what the codec itself asks for. */
  readonly arenaBytes: number | 'predicted';
}

export type Outcome = {
  /** What the codec asks for, in bytes. */
  readonly predicted: number;
} & (
  | {
      readonly kind: 'done';
      /** Of the result: its length and SHA-256. */
      readonly bytes: number;
      readonly digest: string;
      /** Arena up to the last byte that the run left in it. */
      readonly usedBytes: number;
      readonly milliseconds: number;
    }
  | { readonly kind: 'refused'; readonly exhausted: boolean }
);

/** Runs the trials one after the other in one arena, which grows when a trial asks for more. */
export function runTrials(trials: readonly Trial[]): Promise<Outcome[]> {
  const worker = new Worker(import.meta.filename, {
    workerData: trials,
    execArgv: ['--import', join(import.meta.dirname, 'wasm-loader.ts')],
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

export async function runTrial(trial: Trial): Promise<Outcome> {
  const [outcome] = await runTrials([trial]);
  if (!outcome) throw new Error('a worker without an answer');
  return outcome;
}

if (!isMainThread && parentPort) {
  const outcomes: Outcome[] = [];
  for (const trial of workerData as Trial[]) outcomes.push(await perform(trial));
  parentPort.postMessage(outcomes);
}

async function perform({ step, arenaBytes }: Trial): Promise<Outcome> {
  const { arena } = await import('../../src/image/codecs/runtime.ts');
  const { CodecError } = await import('../../src/image/codecs/codec.ts');
  const { prepare } = await import('./codec-steps.ts');
  const { predicted, run } = await prepare(step);
  arena.reserve(arenaBytes === 'predicted' ? predicted : arenaBytes);
  const start = performance.now();
  try {
    const result = run();
    const milliseconds = performance.now() - start;
    return {
      kind: 'done',
      predicted,
      bytes: result.length,
      digest: createHash('sha256').update(result).digest('hex'),
      usedBytes: writtenBytes(arena.memory.buffer),
      milliseconds,
    };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    return { kind: 'refused', predicted, exhausted: error.exhausted };
  }
}

function writtenBytes(buffer: ArrayBuffer): number {
  const words = new Int32Array(buffer);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return end * words.BYTES_PER_ELEMENT;
}

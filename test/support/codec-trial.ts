/**
 * Runs a codec in an arena of a chosen size. Each process has its own arena, and a new process is the only way to give
 * a codec less memory than the previous run had. (Worker threads would also work, but V8 occasionally crashes when one
 * ends while it is still compiling WebAssembly, and takes the whole process down.)
 */
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Step } from './codec-steps.ts';

interface Trial {
  readonly step: Step;
  /** `predicted`: the size that the codec itself declares. */
  readonly arenaBytes: number | 'predicted';
}

export type Outcome = {
  /** Arena size that the codec declares, in bytes. */
  readonly predicted: number;
} & (
  | {
      readonly kind: 'done';
      /** Length of the result in bytes. */
      readonly bytes: number;
      readonly digest: string;
      /** Size of the arena up to the last byte that the run wrote. */
      readonly usedBytes: number;
      readonly milliseconds: number;
    }
  | { readonly kind: 'refused'; readonly exhausted: boolean }
);

/** Argument that tells this file to run trials. */
const task = 'trials';

/** Runs the trials one after another in one arena, which grows when a trial requires more. */
export function runTrials(trials: readonly Trial[]): Promise<Outcome[]> {
  const child = fork(import.meta.filename, [task], {
    execArgv: ['--import', join(import.meta.dirname, 'wasm-loader.ts')],
    serialization: 'advanced',
  });
  child.send(trials);
  return new Promise((resolve, reject) => {
    child.once('message', (outcomes) => resolve(outcomes as Outcome[]));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the trials ended with code ${code}`)));
  });
}

export async function runTrial(trial: Trial): Promise<Outcome> {
  const [outcome] = await runTrials([trial]);
  if (!outcome) throw new Error('a worker without an answer');
  return outcome;
}

if (process.argv[2] === task) {
  process.once('message', async (trials: Trial[]) => {
    const outcomes: Outcome[] = [];
    for (const trial of trials) outcomes.push(await perform(trial));
    process.send?.(outcomes, () => process.exit());
  });
}

async function perform({ step, arenaBytes }: Trial): Promise<Outcome> {
  const { arena } = await import('../../src/image/wasm/arena.ts');
  const { CodecError } = await import('../../src/image/wasm/codec.ts');
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

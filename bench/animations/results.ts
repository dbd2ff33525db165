import { execute } from '../../src/image/pipeline/execute.ts';
import { defaultOptions } from '../../src/image/pipeline/options.ts';
import { type Plan, plan } from '../../src/image/pipeline/plan.ts';
import { readSource } from '../../src/image/pipeline/read-source.ts';
import type { Result } from '../../src/image/pipeline/result.ts';
import type { Refusal } from '../../src/image/refusal.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import type { CorpusFile } from '../harness/section.ts';
import { optimized } from '../service/in-process.ts';
import type { Query } from '../service/memory/configurations.ts';

/** The service's result, or a short reason for its refusal. */
export type Answer = Pick<Result, 'bytes' | 'quality' | 'score'> | { readonly refused: string };

export function answerTo({ bytes }: CorpusFile, query: Query): Answer {
  const answer = optimized(bytes, query);
  return answer.kind === 'optimized' ? answer.result : { refused: reasonOf(answer) };
}

function reasonOf(answer: Exclude<ReturnType<typeof optimized>, { readonly kind: 'optimized' }>) {
  return answer.kind === 'refused' ? answer.reason : answer.kind;
}

/** Null if the request was refused. */
export function bytesOf(answer: Answer): number | null {
  return 'refused' in answer ? null : answer.bytes.length;
}

/** The quality that a result was written with, or the reason of the refusal. */
export function qualityText(answer: Answer): string {
  return 'refused' in answer ? answer.refused : String(answer.quality);
}

/** Bytes by which a result may exceed the file, if it is not compared with the original. */
const excessBytes = 2 ** 21;

/**
 * Codes a file lossless, even if the original is shorter and would be kept.
 * @throws Error if that is impossible
 */
export function producedLossless({ bytes }: CorpusFile): Uint8Array<ArrayBuffer> {
  const read = readSource(bytes);
  if (read.kind !== 'source') throw new Error(read.kind);
  const source = { ...read, fileBytes: read.fileBytes + excessBytes };
  const planned = plan(source, { ...defaultOptions, quality: 'lossless' });
  if (planned.kind === 'refused') throw new Error(planned.reason);
  const execution = { level: 'none', releaseFile: () => null } as const;
  const outcome = runAtOnce(execute(bytes.slice(), source, withoutOriginal(planned), execution));
  if (outcome.kind !== 'result') throw new Error(outcome.reason);
  return outcome.bytes;
}

function withoutOriginal(planned: Exclude<Plan, Refusal>): Exclude<Plan, Refusal> {
  switch (planned.kind) {
    case 'animated':
      return { ...planned, candidates: planned.candidates.filter(isCoded) };
    case 'planned':
      return { ...planned, candidates: planned.candidates.filter(isCoded) };
  }
}

function isCoded({ kind }: { readonly kind: string }): boolean {
  return kind !== 'passthrough';
}

import type { Source } from '../../src/image/formats/inspection.ts';
import { execute } from '../../src/image/pipeline/execute.ts';
import { type Plan, plan } from '../../src/image/pipeline/plan.ts';
import { readSource } from '../../src/image/pipeline/read-source.ts';
import type { Result } from '../../src/image/pipeline/result.ts';
import type { Refusal, Unreadable } from '../../src/image/refusal.ts';
import { runAtOnce } from '../../src/image/slices.ts';
import { readOptions } from '../../src/routes/optimize/options.ts';
import type { Query } from './memory/configurations.ts';

/** A request that was answered with a picture. */
export interface Optimized {
  readonly kind: 'optimized';
  readonly source: Source;
  readonly candidates: Exclude<Plan, Refusal>['candidates'];
  readonly result: Result;
  /** CPU time of this process, all threads, in milliseconds. */
  readonly cpuMs: number;
}

/** Runs a request in this process as the service does, from inspecting a file to the result. */
export function optimized(
  file: Uint8Array<ArrayBuffer>,
  query: Query,
): Optimized | Refusal | Unreadable {
  const options = readOptions(Object.entries(query), undefined);
  const { bytes, releaseFile } = handedOver(file);
  const before = cpuMs();
  const source = readSource(bytes);
  if (source.kind !== 'source') return source;
  const planned = plan(source, options);
  if (planned.kind === 'refused') return planned;
  const { candidates } = planned;
  const { metadata: level, maxBytes, quality } = options;
  const isOpen = quality === 'auto';
  const result = runAtOnce(
    execute(bytes, source, planned, { level, maxBytes, isOpen, releaseFile }),
  );
  if (result.kind === 'refused') return result;
  return { kind: 'optimized', source, candidates, result, cpuMs: cpuMs() - before };
}

/** A copy of a file, whose memory the work may take as that of a request. */
export function handedOver(file: Uint8Array<ArrayBuffer>) {
  const bytes = file.slice();
  let given: ArrayBuffer | null = bytes.buffer;
  const releaseFile = () => {
    const buffer = given;
    given = null;
    return buffer;
  };
  return { bytes, releaseFile };
}

/** CPU time of this process, all threads, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

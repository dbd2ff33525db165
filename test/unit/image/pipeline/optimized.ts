import { execute } from '../../../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../src/image/pipeline/plan.ts';
import { effectiveSource, readSource } from '../../../../src/image/pipeline/read-source.ts';
import type { Result } from '../../../../src/image/pipeline/result.ts';
import type { Refusal } from '../../../../src/image/refusal.ts';

/** What a file becomes with these options: all that a route does between a body and its answer. */
export function optimized(
  file: Uint8Array<ArrayBuffer>,
  wanted: Partial<OptimizeOptions>,
): Result | Refusal {
  const options = { ...defaultOptions, ...wanted };
  const read = readSource(file);
  if (read.kind !== 'source') throw new Error(read.kind);
  const source = effectiveSource(read, file, options);
  const planned = plan(source, options);
  if (planned.kind === 'refused') return planned;
  const { maxBytes, metadata: level } = options;
  const isOpen = options.quality === 'auto';
  return execute(file.slice(), source, planned, {
    ...{ level, maxBytes, isOpen },
    releaseFile: () => null,
  });
}

/** The result. @throws where there is none */
export function resultOf(file: Uint8Array<ArrayBuffer>, wanted: Partial<OptimizeOptions>): Result {
  const made = optimized(file, wanted);
  if (made.kind === 'refused') throw new Error(made.reason);
  return made;
}

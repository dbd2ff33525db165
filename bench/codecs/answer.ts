import { execute } from '../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../src/image/pipeline/options.ts';
import { plan } from '../../src/image/pipeline/plan.ts';
import { readSource } from '../../src/image/pipeline/read-source.ts';

interface Answered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Bytes that the service reserves for the request, not counting the file. */
  readonly planned: number;
}

/**
 * Optimizes a picture as the service does, within the memory of an isolate; returns undefined if it is refused, or an
 * animation.
 */
export function answered(
  file: Uint8Array<ArrayBuffer>,
  options: Partial<OptimizeOptions>,
): Answered | undefined {
  const source = readSource(file);
  if (source.kind !== 'source') return undefined;
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind !== 'planned') return undefined;
  const copy = file.slice();
  const outcome = execute(copy, source, planned, {
    level: 'none',
    releaseFile: () => null,
  });
  if (outcome.kind !== 'result') return undefined;
  const peaks = planned.candidates.map(({ peak }) => peak.arena + peak.buffers);
  return { bytes: outcome.bytes, planned: Math.max(...peaks) };
}

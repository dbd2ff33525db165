import { execute } from '../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../src/image/pipeline/options.ts';
import { plan } from '../../src/image/pipeline/plan.ts';
import { readSource } from '../../src/image/pipeline/read-source.ts';

interface Answered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the service sets aside for it in bytes, the file left aside. */
  readonly planned: number;
}

/** A picture as the service answers it, within the memory of an isolate; undefined: refused, or an animation. */
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

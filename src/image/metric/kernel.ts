import type { Arena } from '../wasm/arena.ts';
import { CodecError } from '../wasm/codec.ts';
import { type LinkedKernel, memoryCounter, runKernel } from '../wasm/kernel.ts';
import module from '../wasm/modules/metric.wasm';
import { kernelConstants, type MetricKernelExports } from './kernel-exports.ts';

export { kernelConstants };

/** The kernel linked for one run. */
export type MetricKernel = LinkedKernel<MetricKernelExports>;

const name = 'metric kernel';

/** The kernel imports no host functions. */
const noImports = () => ({});

/**
 * Links the kernel to a wiped arena for one run.
 *
 * @param memory arena to run in
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function runMetricKernel<Result>(
  memory: Arena,
  work: (kernel: MetricKernel) => Result,
): Result {
  return runKernel<MetricKernelExports, Result>(name, module, memory, noImports, work);
}

/** Bytes of the arena for a run with the allocations of `allocate`, as counted by the kernel. */
export const countedBytes = memoryCounter<MetricKernelExports>(module, noImports);

/** @throws CodecError if an allocation failed */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

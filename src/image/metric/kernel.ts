import type { Arena } from '../wasm/arena.ts';
import { CodecError } from '../wasm/codec.ts';
import { type LinkedKernel, memoryCounter, runKernel } from '../wasm/kernel.ts';
import module from '../wasm/modules/metric.wasm';
import type { MetricKernelExports } from './kernel-exports.ts';

/** The kernel linked for one run. */
export type MetricKernel = LinkedKernel<MetricKernelExports>;

const name = 'metric kernel';

/** It calls nothing of the host. */
const noImports = () => ({});

/**
 * Links the kernel against a wiped arena for one run.
 *
 * @param memory to run in
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runMetricKernel<Result>(
  memory: Arena,
  work: (kernel: MetricKernel) => Result,
): Result {
  return runKernel<MetricKernelExports, Result>(name, module, memory, noImports, work);
}

/** Bytes of the arena that a run takes which allocates as `allocate` does; the kernel itself tells. */
export const countedBytes = memoryCounter<MetricKernelExports>(module, noImports);

/** @throws CodecError where something was not allocated for want of room */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

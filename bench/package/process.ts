/**
 * The process of a converter, so that its CPU time and memory are its own: started with the converter's name, it
 * carries out orders, one after the other, and reports what each has taken.
 */
import { join } from 'node:path';
import { canMeasureMemory, fieldOf, statusOf } from '../../test/support/processes.ts';
import { spent } from '../measures/cpu-time.ts';
import { type Coding, type ConverterName, converters } from './converters.ts';
import { inParallel } from './in-parallel.ts';

/** Photos to make into other files. */
export interface Order {
  /** Paths of the photos. */
  readonly photos: readonly { readonly name: string; readonly path: string }[];
  /** The folder for the results, under the names of the photos. */
  readonly to: string;
  readonly coding: Coding;
}

/** What an order has taken. */
export interface Report {
  readonly wallMs: number;
  /** CPU time of all threads. */
  readonly cpuMs: number;
  /** Peak resident memory since the start of the process, in bytes; null where it cannot be measured. */
  readonly peakBytes: number | null;
}

const name = process.argv[2] as ConverterName;
const { atOnce, convert } = await converters[name]();
process.on('message', async (order: Order) => process.send?.(await carriedOut(order)));
// Threads of its own would keep it alive when the bench has been ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function carriedOut({ photos, to, coding }: Order): Promise<Report> {
  const [start, before] = [performance.now(), spent()];
  await inParallel(photos, atOnce, (photo) => convert(photo.path, join(to, photo.name), coding));
  const [wallMs, cpuMs] = [performance.now() - start, spent() - before];
  return { wallMs, cpuMs, peakBytes: canMeasureMemory ? peakOfProcess() : null };
}

function peakOfProcess(): number {
  return 1024 * fieldOf(statusOf('self'), 'VmHWM');
}

import type { Quality } from '../../../src/image/formats/inspection.ts';
import { runJpegKernel } from '../../../src/image/formats/jpeg/kernel.ts';
import { jpegRecodingBytes } from '../../../src/image/formats/jpeg/memory.ts';
import { targetTables } from '../../../src/image/formats/jpeg/quantization-tables.ts';
import {
  type CoefficientCandidate,
  codeCandidate,
  coefficientCandidates,
} from '../../../src/image/formats/jpeg/recode.ts';
import {
  halvedSampling,
  lumaPerChroma,
  samplingOf,
} from '../../../src/image/formats/jpeg/sampling.ts';
import { scansOf } from '../../../src/image/formats/jpeg/scan-list.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { runAtOnce, type Slices } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import { withinArena } from '../../../src/image/wasm/run-in-arena.ts';

/** A picture coded by the kernel, and the memory that this took, in bytes. */
interface KernelResult {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly memory: number;
}

/**
 * Recompresses a JPEG as the service does at a quality, within the memory that the service reserves for it; unlike the
 * service, it also returns results larger than the file.
 *
 * @throws Error if that memory does not suffice
 */
export function recodedAtQuality(file: Uint8Array<ArrayBuffer>, quality: Quality): KernelResult {
  const { image, list } = inspected(file);
  const peak = { arena: jpegRecodingBytes(image, file.length, quality), buffers: 0 };
  const recode = function* (): Slices<KernelResult | undefined> {
    for (const { quality: _, ...how } of coefficientCandidates(image, list, quality)) {
      const coded = yield* recoded(file, how);
      if (coded) return coded;
    }
    return undefined;
  };
  const result = runAtOnce(withinArena(peak, recode));
  return required(result && 'bytes' in result ? result : undefined);
}

/** Recompresses a JPEG with quantization tables at a scale, without a memory limit of the service. */
export function recodedAtScale(
  file: Uint8Array<ArrayBuffer>,
  scale: number,
  halves: boolean,
): KernelResult {
  const { image, list } = inspected(file);
  const sampling = (halves ? halvedSampling(image, 0) : null) ?? samplingOf(image);
  const chroma = image.colorSpace === 'ycbcr' ? lumaPerChroma(sampling) : null;
  arena.reserve(400 * 2 ** 20);
  const tables = targetTables(scale, list.quantization, chroma);
  return required(runAtOnce(recoded(file, { tables, sampling })));
}

function* recoded(
  file: Uint8Array<ArrayBuffer>,
  how: Pick<CoefficientCandidate, 'tables' | 'sampling'>,
): Slices<KernelResult | undefined> {
  const { image, list } = inspected(file);
  const head = Uint8Array.of(0xff, 0xd8);
  const mayStream = arena.bytes === arenaCeiling;
  const recoding = { ...how, head, maxBytes: 2 * file.length + 4096, mayStream };
  return yield* runJpegKernel(file, function* (kernel) {
    const result = yield* codeCandidate(kernel, image, list, recoding);
    if (result.kind !== 'coded') return undefined;
    return { bytes: result.bytes.slice(), memory: kernel.taken() + result.bytes.length };
  });
}

function required(result: KernelResult | undefined): KernelResult {
  if (!result) throw new Error('it cannot be coded');
  return result;
}

function inspected(file: Uint8Array<ArrayBuffer>) {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'jpeg') throw new Error('not a JPEG');
  return { image: result.image, list: scansOf(file, result.image) };
}

import type { Inspection, Source } from '../formats/format.ts';
import { formatOf } from '../formats/registry.ts';
import { metadataBytes } from '../metadata/metadata.ts';
import { type Refusal, refuseTooLarge } from '../refusal.ts';
import { arenaBirthBytes } from '../wasm/arena.ts';
import {
  buffersLimit,
  fitsAlone,
  memoryBudget,
  type Peak,
  servingBytes,
} from '../wasm/memory-ledger.ts';
import {
  type Candidate,
  candidatesFor,
  type PassthroughCandidate,
  type PlannedCandidate,
  type RecodeCandidate,
} from './candidates.ts';
import { viewingPeak } from './decode.ts';
import { encodingPeak } from './encode.ts';
import type { OptimizeOptions } from './options.ts';

/**
 * Pixels that are gone through for one request: more than any camera takes at
 * once (102 megapixels). Pictures that flow by would fit into memory at any size,
 * and 32 MiB of a PNG can unpack to 33 GB.
 */
export const maxPixels = 120_000_000;

/** The memory that a candidate takes beside the file. */
export function peakOf(
  candidate: Candidate,
  source: Source,
  level: OptimizeOptions['metadata'],
): Peak {
  const { arena, buffers } = makingPeak(candidate, source);
  return { arena, buffers: buffers + carriedBytes(source, level) };
}

/** What goes on from the source beside its pixels: as it was read, deflated, as a chunk, and in the result. */
function carriedBytes({ icc, color }: Source, level: OptimizeOptions['metadata']): number {
  const profile = 4 * Math.max(icc?.length ?? 0, color.profile?.length ?? 0);
  return profile + (level === 'none' ? 0 : metadataBytes);
}

function makingPeak(candidate: Candidate, source: Source): Peak {
  switch (candidate.kind) {
    case 'recode':
      return recodingPeak(candidate, source);
    case 'encode':
      return encodingPeak(candidate, source);
    case 'passthrough':
      return passthroughPeak(candidate, source);
  }
}

/** Until it is complete, the result lies in the arena. */
export function recodingPeak(candidate: RecodeCandidate, source: Source): Peak {
  const { recoder } = formatOf(source.image).read;
  return {
    arena: recoder ? recoder.arenaBytes(source, candidate) : Number.POSITIVE_INFINITY,
    buffers: candidate.isAlone ? 0 : source.fileBytes,
  };
}

function passthroughPeak({ verify }: PassthroughCandidate, { image, fileBytes }: Source): Peak {
  const viewing = verify ? viewingPeak(image, fileBytes) : { arena: 0, buffers: 0 };
  return { arena: viewing.arena, buffers: Math.max(viewing.buffers, fileBytes) };
}

/** Whether a candidate can be made in an isolate that does nothing else. */
export function fits(
  candidate: Candidate,
  source: Source,
  level: OptimizeOptions['metadata'],
): boolean {
  const { width, height } = source.image;
  const isGoneThrough = candidate.kind !== 'passthrough' || candidate.verify;
  if (isGoneThrough && width * height > maxPixels) return false;
  return fitsAlone(peakOf(candidate, source, level), source.fileBytes);
}

/**
 * The bytes that a request is counted for at its worst moment, in a new isolate that does nothing else:
 * the file, the arena, buffers, and what serving takes. A candidate that comes after others has their best
 * result beside it, which is no longer than the file as a rule; where that does not fit, it is left out, so
 * nothing is ever beyond the budget. A sound file may still take more of the arena than its header tells.
 *
 * @param fileBytes that the file takes up
 */
export function predictedPeak(candidates: readonly PlannedCandidate[], fileBytes: number): number {
  const sums = candidates.map(({ peak: { arena, buffers } }, i) => {
    const best = i === 0 ? 0 : fileBytes;
    return servingBytes + fileBytes + Math.max(arena, arenaBirthBytes) + buffers + best;
  });
  return Math.min(memoryBudget, Math.max(...sums));
}

/** Finds how many pixels of a picture shaped like this one such a candidate could take; or, where it takes none, how long a file. */
export function tooLarge(
  { kind, type }: Candidate,
  source: Source,
  options: OptimizeOptions,
): Refusal {
  const fitsAt = (factor: number, fileBytes: number) => {
    const smaller = { ...source, image: scaled(source.image, factor), fileBytes };
    const candidates = candidatesFor(type, smaller, options);
    return (
      'kind' in candidates ||
      candidates.every(
        (candidate) => candidate.kind !== kind || fits(candidate, smaller, options.metadata),
      )
    );
  };
  const pixelsIn = (fileBytes: number) => {
    const { width, height } = scaled(
      source.image,
      largestFitting((factor) => fitsAt(factor, fileBytes)),
    );
    return width * height;
  };
  const pixels = pixelsIn(source.fileBytes);
  if (pixels > 1) return refuseTooLarge(pixels);
  // some decoders take many times the bytes of a file
  const share = largestFitting((part) => fitsAt(1, Math.floor(part * source.fileBytes)));
  const fileBytes = Math.floor(share * source.fileBytes);
  if (fileBytes > 0) return fileTooLarge(fileBytes);
  const pixelsAtMost = pixelsIn(0);
  return pixelsAtMost > 1 ? refuseTooLarge(pixelsAtMost) : fileTooLarge();
}

/**
 * For a file that is too large with this picture in it.
 * @param limitBytes by default that of a file with whatever in it: itself and a copy have to fit
 */
export function fileTooLarge(limitBytes = buffersLimit / 2): Refusal {
  return { kind: 'refused', reason: 'file-too-large', limitBytes };
}

/** The largest part of one that fits, found by halving. */
function largestFitting(fits: (part: number) => boolean): number {
  let [fitting, exceeding] = [0, 1];
  for (let i = 0; i < 24; i += 1) {
    const middle = (fitting + exceeding) / 2;
    if (fits(middle)) fitting = middle;
    else exceeding = middle;
  }
  return fitting;
}

function scaled(image: Inspection, factor: number): Inspection {
  // odd sides cost more in some formats, so they stay odd
  const side = (length: number) =>
    Math.max(1, 2 * Math.floor((length * factor) / 2) + (length & 1));
  const size = { width: side(image.width), height: side(image.height) };
  return formatOf(image).read.withSize?.(image, size) ?? { ...image, ...size };
}

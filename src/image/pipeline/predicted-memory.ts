import type { Source } from '../formats/inspection.ts';
import { recoderFor } from '../formats/registry.ts';
import { metadataBytes } from '../metadata/metadata.ts';
import { arenaBirthBytes, sideBirthBytes } from '../wasm/arena.ts';
import { fitsAlone, memoryBudget, type Peak, servingBytes } from '../wasm/memory-ledger.ts';
import type {
  Candidate,
  EncodeCandidate,
  PassthroughCandidate,
  RecodeCandidate,
} from './candidates.ts';
import { conversionOf } from './conversion.ts';
import { viewingPeak } from './decode.ts';
import { gainMapBytes, gainMapPeak } from './gain-map.ts';
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
  const carried = carriedBytes(source, level);
  const peak = makingPeak(candidate, source, carried);
  return { ...peak, buffers: peak.buffers + carried };
}

/** What goes on from the source beside its pixels: as it was read, deflated, as a chunk, and in the result. */
export function carriedBytes({ icc, color }: Source, level: OptimizeOptions['metadata']): number {
  const profile = 4 * Math.max(icc?.length ?? 0, color.profile?.length ?? 0);
  return profile + (level === 'none' ? 0 : metadataBytes);
}

/** @param carried bytes that are held beside it */
function makingPeak(candidate: Candidate, source: Source, carried: number): Peak {
  switch (candidate.kind) {
    case 'recode':
      return recodingPeak(candidate, source);
    case 'encode':
      return encodingPeak(candidate, source, carried);
    case 'passthrough':
      return passthroughPeak(candidate, source);
  }
}

/** A gain map is made before the picture, and lies beside it then. */
function encodingPeak(candidate: EncodeCandidate, source: Source, carried: number): Peak {
  const { gainMap } = candidate;
  if (!gainMap) return conversionOf(candidate, source, carried).peak;
  const bytes = gainMapBytes(gainMap);
  const first = gainMapPeak(gainMap, source, carried);
  const own = conversionOf(candidate, source, carried + bytes).peak;
  return {
    arena: Math.max(first.arena, own.arena),
    side: Math.max(first.side ?? 0, own.side ?? 0),
    buffers: Math.max(first.buffers, own.buffers + bytes),
  };
}

/** Until it is complete, the result lies in the arena. */
export function recodingPeak(candidate: RecodeCandidate, source: Source): Peak {
  const recoder = recoderFor(source.image, candidate.type);
  return {
    arena: recoder ? recoder.arenaBytes(source, candidate) : Number.POSITIVE_INFINITY,
    side: recoder?.sideBytes?.(source, candidate) ?? 0,
    buffers:
      (candidate.isAlone ? 0 : source.fileBytes) + (recoder?.bufferBytes?.(source, candidate) ?? 0),
  };
}

function passthroughPeak({ verify }: PassthroughCandidate, { image, fileBytes }: Source): Peak {
  const viewing = verify ? viewingPeak(image, fileBytes) : { arena: 0, buffers: 0 };
  return { arena: viewing.arena, buffers: Math.max(viewing.buffers, fileBytes) };
}

/** Whether there is memory for a candidate in an isolate that does nothing else. */
export function fitsMemory(
  candidate: Candidate,
  source: Source,
  level: OptimizeOptions['metadata'],
): boolean {
  const { width, height } = source.image;
  const isGoneThrough = candidate.kind !== 'passthrough' || candidate.verify;
  if (isGoneThrough && width * height > maxPixels) return false;
  return fitsAlone(peakOf(candidate, source, level), source.fileBytes);
}

/** What has to be free for all candidates of a plan, one after the other, beside the file. */
export function worstPeak(candidates: readonly { readonly peak: Peak }[]): Peak {
  return {
    arena: Math.max(...candidates.map(({ peak }) => peak.arena)),
    side: Math.max(...candidates.map(({ peak }) => peak.side ?? 0)),
    buffers: Math.max(...candidates.map(({ peak }) => peak.buffers)),
  };
}

/**
 * The bytes that a request is counted for at its worst moment, in a new isolate that does nothing else:
 * the file, the arenas, buffers, and what serving takes. A candidate that comes after others has their best
 * result beside it, which is no longer than the file as a rule; where that does not fit, it is left out, so
 * nothing is ever beyond the budget. A sound file may still take more of the arena than its header tells.
 *
 * @param fileBytes that the file takes up
 */
export function predictedPeak(
  candidates: readonly { readonly peak: Peak }[],
  fileBytes: number,
): number {
  const sums = candidates.map(({ peak: { arena, side = 0, buffers } }, i) => {
    const best = i === 0 ? 0 : fileBytes;
    const arenas = Math.max(arena, arenaBirthBytes) + Math.max(side, sideBirthBytes);
    return servingBytes + fileBytes + arenas + buffers + best;
  });
  return Math.min(memoryBudget, Math.max(...sums));
}

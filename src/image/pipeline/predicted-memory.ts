import type { Source } from '../formats/inspection.ts';
import { recoderFor } from '../formats/registry.ts';
import { metadataBytes } from '../metadata/metadata.ts';
import { bytesPerRasterPixel } from '../pixels/raster.ts';
import { arenaBirthBytes, sideBirthBytes } from '../wasm/arena.ts';
import { memoryBudget, servingBytes } from '../wasm/budgets.ts';
import { fitsAlone, type Peak } from '../wasm/memory-ledger.ts';
import type {
  Candidate,
  EncodeCandidate,
  PassthroughCandidate,
  PlannedCandidate,
  RecodeCandidate,
} from './candidates.ts';
import { conversionOf } from './conversion.ts';
import { viewingPeak } from './decode.ts';
import { gainMapBytes, gainMapPeak } from './gain-map.ts';
import type { OptimizeOptions } from './options.ts';
import { isLent } from './reduced-pixels.ts';
import { isSearched } from './target/open-candidate.ts';
import { searchPeak } from './target/sampling.ts';

/**
 * Maximum number of pixels of a picture: more than any camera takes (102 megapixels). Streamed pictures would fit into
 * memory at any size, and 32 MiB of PNG can decompress to 33 GB.
 */
export const maxPixels = 120_000_000;

/** Peak memory of a candidate, not counting the file. */
export function peakOf(
  candidate: Candidate,
  source: Source,
  level: OptimizeOptions['metadata'],
): Peak {
  const carried = carriedBytes(source, level);
  const peak = makingPeak(candidate, source, carried);
  return { ...peak, buffers: peak.buffers + carried };
}

/** Bytes of the profile and metadata: as read, compressed, as a chunk, and in the result. */
export function carriedBytes({ icc, color }: Source, level: OptimizeOptions['metadata']): number {
  const profile = 4 * Math.max(icc?.length ?? 0, color.profile?.length ?? 0);
  return profile + (level === 'none' ? 0 : metadataBytes);
}

/** @param carried bytes held in addition */
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

/**
 * Peak memory of a candidate for a photo that is made of a held reduction, in addition to that and the file. A result that
 * takes more, because it is noise, ends where there is no more room.
 */
export function peakFromReductions(
  candidate: PlannedCandidate,
  source: Source,
  level: OptimizeOptions['metadata'],
): Peak {
  if (candidate.kind !== 'encode' || candidate.gainMap) return candidate.peak;
  const { search, pixels } = candidate;
  const carried = carriedBytes(source, level);
  const { kind, photoPeak } = conversionOf(candidate, source, carried);
  const { width, height } = pixels.target ?? source.image;
  // The reduction itself stands in for its raster.
  const lent = kind === 'kept' && isLent(pixels) ? bytesPerRasterPixel * width * height : 0;
  const making = { ...photoPeak, buffers: photoPeak.buffers - lent + carried };
  if (!search || !isSearched(candidate, source)) return making;
  const searching = searchPeak({ ...source, isReduced: true }, candidate, search);
  return worstPeak([{ peak: making }, { peak: searching }]);
}

/** A gain map is made before the picture, and held while the picture is made. */
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

/** Peak memory of recoding; the result lies in the arena until it is complete. */
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

/** Whether a candidate fits into the memory of an otherwise idle isolate. */
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

/** The memory needed to run all candidates of a plan one after the other, not counting the file. */
export function worstPeak(candidates: readonly { readonly peak: Peak }[]): Peak {
  return {
    arena: Math.max(...candidates.map(({ peak }) => peak.arena)),
    side: Math.max(...candidates.map(({ peak }) => peak.side ?? 0)),
    buffers: Math.max(...candidates.map(({ peak }) => peak.buffers)),
  };
}

/**
 * Accounted peak memory of a request in a new, otherwise idle isolate, in bytes: the file, the arenas, buffers, and the
 * overhead of serving. While a later candidate runs, the best result so far is held, which is usually no longer than
 * the file; if that does not fit, the candidate is skipped, so the budget is never exceeded. An intact file may still
 * take more of the arena than its header implies.
 *
 * @param fileBytes memory of the file
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

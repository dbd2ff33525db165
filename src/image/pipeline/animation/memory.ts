import { largestPieceBytes } from '../../container/drained-output.ts';
import type { Source } from '../../formats/inspection.ts';
import { formatOf } from '../../formats/registry.ts';
import { scoringBytes } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type Size } from '../../pixels/raster.ts';
import { apartBytes } from '../../wasm/arena.ts';
import { arenaCeiling, buffersLimit, sideCeiling } from '../../wasm/budgets.ts';
import type { Peak } from '../../wasm/memory-ledger.ts';
import { stagesBytes } from '../pixel-stages.ts';
import {
  type AnimateCandidate,
  animationWriterOf,
  keepsOriginal,
  type MemoryShare,
} from './candidates.ts';
import { isPrepared, isReadInRows, preparedSize } from './pictures.ts';
import { sampleBytes } from './samples.ts';

/**
 * Memory of encoding an animation, not counting its file. Canvases, the pieces of the result and samples lie in the
 * arena behind the part that kernels run in, and in buffers when that is full.
 * @param carried bytes held in addition
 */
export function animatingMemory(
  candidate: AnimateCandidate,
  source: Source,
  carried: number,
): { readonly peak: Peak; readonly share: MemoryShare } {
  const { pixels, goal } = candidate;
  const writer = animationWriterOf(candidate);
  const size = preparedSize(source, pixels);
  const read = readingMemory(candidate, source);
  const isScored = goal !== undefined || writer.recoloring?.(candidate) != null;
  const scoring = isScored ? scoringBytes(size, true) : 0;
  const shape = { ...size, hasAlpha: true };
  const resultBytes = resultBytesOf(candidate, source);
  const canvases = writingCanvases(candidate, source);
  // If all canvases fit into the arena, their pixels are encoded without being copied.
  const inPlace = Math.max(scoring, writer.inPlaceBytes?.(shape, candidate) ?? Infinity);
  const runBytes =
    apartBytes(inPlace, canvases) <= arenaCeiling
      ? inPlace
      : Math.max(scoring, writer.arenaBytes(shape, candidate));
  const writing = canvases + resultBytes + Math.min(resultBytes, largestPieceBytes);
  const sampled = isScored ? read.canvases + sampleBytes(source, pixels) : 0;
  const wanted = Math.max(writing, sampled);
  const arena = Math.min(apartBytes(runBytes, wanted), arenaCeiling);
  const bufferBytes = Math.max(0, apartBytes(runBytes, wanted) - arena);
  // The file may be freed for a long result, or for one that would not fit otherwise; then it cannot be encoded again.
  const beside = Math.max(0, buffersLimit - source.fileBytes - carried);
  const copied = candidate.isAlone ? Math.min(resultBytes, longResult, beside) : resultBytes;
  return {
    peak: {
      arena,
      // The result is decoded there as well, to be scored.
      side: candidate.type === source.image.type ? readerBytes(source) : sideCeiling,
      buffers: Math.max(bufferBytes + read.buffers, copied) + carried,
    },
    share: { runBytes, bufferBytes, besideBytes: read.buffers + carried },
  };
}

/** Bytes of the side arena for reading the frames of a source. */
export function readerBytes({ image, fileBytes }: Source): number {
  return formatOf(image).read.animation?.arenaBytes(image, fileBytes) ?? 0;
}

/** Bytes of the canvases while an animation is being written. */
function writingCanvases(candidate: AnimateCandidate, source: Source): number {
  const planned = animationWriterOf(candidate).changesColors(candidate) ? 3 : 2;
  const size = preparedSize(source, candidate.pixels);
  return readingMemory(candidate, source).canvases + planned * canvasBytes(size);
}

/**
 * Maximum size in bytes of a result whose pieces share a workspace with the canvases. A result in the original format
 * and size must not be larger than the original.
 */
export function resultRoom(
  candidate: AnimateCandidate,
  source: Source,
  workspace: { readonly free: number },
): number {
  const free = workspace.free - writingCanvases(candidate, source);
  const room = free - Math.min(free / 2, largestPieceBytes);
  const most = keepsOriginal(candidate, source.image) ? source.fileBytes : Infinity;
  return Math.max(0, Math.min(most, Math.floor(room)));
}

/** Bytes for reading the pictures of a source: canvases, and other buffers. */
function readingMemory(candidate: AnimateCandidate, source: Source) {
  const { image, fileBytes } = source;
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const isCopied = isPrepared(pixels) || !animationWriterOf(candidate).holdsPartialAlpha;
  const canvasCount = isReadInRows(source, pixels) ? 0 : image.frameTotals?.restores ? 2 : 1;
  const canvases = canvasCount * canvasBytes(image);
  const copied = isCopied ? canvasBytes(size) : 0;
  const recolored = animationWriterOf(candidate).recoloring?.(candidate)?.bufferBytes(size) ?? 0;
  const frame = Math.max(aFrame, Math.min(codedPixelBytes * size.width * size.height, fileBytes));
  return { canvases, buffers: copied + stagesBytes(source, pixels) + recolored + 2 * frame };
}

function canvasBytes({ width, height }: Size): number {
  return bytesPerRasterPixel * width * height;
}

/** Assumed size of an encoded frame in bytes, at least, and per pixel; two are held at a time. */
const aFrame = 128 * 1024;
const codedPixelBytes = 2;

/**
 * Bytes planned for a result: its maximum or, for a long file, half the length of that, since few results are longer.
 */
function resultBytesOf(candidate: AnimateCandidate, { image, fileBytes }: Source): number {
  const most = keepsOriginal(candidate, image) ? fileBytes : 2 * fileBytes + aFrame;
  return Math.min(most, Math.max(longResult, fileBytes / 2));
}

/** The size from which on a result counts as long, in bytes. */
const longResult = 4 * 1024 * 1024;

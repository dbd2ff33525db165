import { largestPieceBytes } from '../../container/drained-output.ts';
import type { Source } from '../../formats/inspection.ts';
import { formatOf } from '../../formats/registry.ts';
import { scoringBytes } from '../../metric/ssimulacra2.ts';
import { bytesPerRasterPixel, type Size } from '../../pixels/raster.ts';
import { apartBytes } from '../../wasm/arena.ts';
import { arenaCeiling, buffersLimit, type Peak, sideCeiling } from '../../wasm/memory-ledger.ts';
import { stagesBytes } from '../pixel-stages.ts';
import {
  type AnimateCandidate,
  animationWriterOf,
  keepsOriginal,
  type MemoryShare,
} from './candidates.ts';
import { isPrepared, preparedSize } from './pictures.ts';
import { sampleBytes } from './samples.ts';

/**
 * Memory that an animation takes beside its file: canvases, what is written of the result and the sampled pictures lie in the
 * arena, behind what kernels run in, and in buffers where that is full.
 * @param carried bytes that are held beside it
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
  const scoring = isScored ? scoringBytes(size.width, true) : 0;
  const shape = { ...size, hasAlpha: true };
  const resultBytes = resultBytesOf(candidate, source);
  const canvases = writingCanvases(candidate, source);
  // where all canvases fit into the arena, their pixels need not be copied to be coded
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
  // the file may make way for a long result, or one beside which there is no room, which then cannot be made again
  const beside = Math.max(0, buffersLimit - source.fileBytes - carried);
  const copied = candidate.isAlone ? Math.min(resultBytes, longResult, beside) : resultBytes;
  return {
    peak: {
      arena,
      // what comes of it is read there, too, to be scored
      side: candidate.type === source.image.type ? readerBytes(source) : sideCeiling,
      buffers: Math.max(bufferBytes + read.buffers, copied) + carried,
    },
    share: { runBytes, bufferBytes, besideBytes: read.buffers + carried },
  };
}

/** Of the side arena, in bytes, what reading the frames of a source takes. */
export function readerBytes({ image, fileBytes }: Source): number {
  return formatOf(image).read.animation?.arenaBytes(image, fileBytes) ?? 0;
}

/** Bytes of canvases while an animation is written. */
function writingCanvases(candidate: AnimateCandidate, source: Source): number {
  const planned = animationWriterOf(candidate).changesColors(candidate) ? 3 : 2;
  const size = preparedSize(source, candidate.pixels);
  return readingMemory(candidate, source).canvases + planned * canvasBytes(size);
}

/** Bytes that a result may have in a workspace, in pieces beside the canvases; one that grows in its own format and size is not kept. */
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

/** What going through the pictures of a source takes, in bytes: canvases, and buffers beside them. */
function readingMemory(candidate: AnimateCandidate, source: Source) {
  const { image, fileBytes } = source;
  const { pixels } = candidate;
  const size = preparedSize(source, pixels);
  const isCopied = isPrepared(pixels) || !animationWriterOf(candidate).holdsPartialAlpha;
  const canvases = (image.frameTotals?.restores ? 2 : 1) * canvasBytes(image);
  const copied = isCopied ? canvasBytes(size) : 0;
  const recolored = animationWriterOf(candidate).recoloring?.(candidate)?.bufferBytes(size) ?? 0;
  const frame = Math.max(aFrame, Math.min(codedPixelBytes * size.width * size.height, fileBytes));
  return { canvases, buffers: copied + stagesBytes(pixels) + recolored + 2 * frame };
}

function canvasBytes({ width, height }: Size): number {
  return bytesPerRasterPixel * width * height;
}

/** Of a frame as it was coded, in bytes, of which there are two at a time: as much as this, or as its pixels take at most as a rule. */
const aFrame = 128 * 1024;
const codedPixelBytes = 2;

/** Bytes planned for a result: all that it may have; for a long file half its length, since most results are no longer. */
function resultBytesOf(candidate: AnimateCandidate, { image, fileBytes }: Source): number {
  const most = keepsOriginal(candidate, image) ? fileBytes : 2 * fileBytes + aFrame;
  return Math.min(most, Math.max(longResult, fileBytes / 2));
}

/** In bytes. */
const longResult = 4 * 1024 * 1024;

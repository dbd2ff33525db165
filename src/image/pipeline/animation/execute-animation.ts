import { ContainerError } from '../../container/assemble.ts';
import { freeMemory, NoMemory } from '../../container/workspace.ts';
import type { ImageType } from '../../formats/facts.ts';
import type { Finished } from '../../formats/format.ts';
import type { Source } from '../../formats/inspection.ts';
import { finishedUntouched, type Untouched, untouched } from '../../formats/passthrough.ts';
import { formatOf, readMetadata, uprightSize } from '../../formats/registry.ts';
import type { Keeping } from '../../metadata/carried.ts';
import { noMetadata, withoutEmpty } from '../../metadata/metadata.ts';
import { turnedSize } from '../../pixels/orientation.ts';
import type { Size } from '../../pixels/raster.ts';
import { damaged, type Refusal } from '../../refusal.ts';
import type { Slices } from '../../slices.ts';
import { ApartWorkspace } from '../../wasm/apart-workspace.ts';
import { arena } from '../../wasm/arena.ts';
import { maxCpuMs } from '../../wasm/budgets.ts';
import { ledger } from '../../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile, whileGranted, withinArena } from '../../wasm/run-in-arena.ts';
import { SpareCpu } from '../attempts.ts';
import type { PassthroughCandidate, PixelSteps } from '../candidates.ts';
import { isBetterResult, tooLong, whileHeld } from '../comparison.ts';
import { ReadingError } from '../decode.ts';
import { appearanceOf, carriedComments, finish } from '../finish.ts';
import type { OptimizeOptions } from '../options.ts';
import type { ReducedPixels } from '../reduced-pixels.ts';
import { type Failure, type Result, reportedScore } from '../result.ts';
import { failureOf } from './animate.ts';
import { keepsOriginal, type PlannedAnimate, type PlannedAnimation } from './candidates.ts';
import { encodeAnimation } from './make-animation.ts';
import { resultRoom } from './memory.ts';
import { animationReaderOf, preparedSize, viewFrames } from './pictures.ts';

/** Settings for executing a plan. */
export interface Execution {
  readonly level: OptimizeOptions['metadata'];
  readonly maxBytes?: number | null;
  /** Whether no encoder quality was requested, so that results report their score. */
  readonly isOpen?: boolean;
  /** Held reductions of a still; absent if there are none. */
  readonly reduced?: ReducedPixels | null;
  /** Frees the file as soon as nothing needs it any more. */
  readonly releaseFile: ReleaseFile;
}

/**
 * Tries the candidates of an animation in order and keeps the smallest result, or the best one if its size is limited.
 */
export function* executeAnimation(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedAnimation[],
  { level, maxBytes = null, isOpen = false, releaseFile }: Execution,
): Slices<Result | Refusal> {
  const metadata = level === 'none' ? noMetadata : readMetadata(source.image, file);
  const spareCpu = new SpareCpu(maxCpuMs);
  const keeping = { level, metadata };
  let hasFile = true;
  const making = {
    ...{ file, source, keeping, spareCpu },
    hasFile: () => hasFile,
    releaseFile() {
      hasFile = false;
      return releaseFile();
    },
  };
  let best: Result | undefined;
  let refusal: Refusal | undefined;
  let isSeen = false;
  for (const candidate of candidates) {
    const made = yield* whileHeld(best, () =>
      candidate.kind === 'animate'
        ? remade(candidate, making)
        : // what has given up may not have come to the last frame
          passedThrough({ ...candidate, verify: !isSeen }, making),
    );
    isSeen ||= made.kind === 'finished';
    if (made.kind === 'impossible') {
      const { refusal: reason } = made;
      refusal =
        reason.reason === 'max-bytes'
          ? tooLong(refusal, reason.smallestBytes)
          : (refusal ?? reason);
      continue;
    }
    if (made.kind === 'refused') {
      // An earlier candidate has read the whole file, which is therefore intact.
      if (best) continue;
      return made;
    }
    const result = resultOf(candidate, made, source, isOpen);
    const isTooLong = maxBytes !== null && result.bytes.length > maxBytes;
    if (isTooLong) refusal = tooLong(refusal, result.bytes.length);
    const isBetter = !isTooLong && isBetterResult(result, best, { maxBytes, advantage: 1 });
    freeMemory((isBetter ? best : result)?.bytes);
    if (isBetter) best = result;
    if (!hasFile) break;
  }
  return best ?? refusal ?? damaged;
}

/** The input of a candidate. */
interface Making {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly keeping: Keeping;
}

/** State shared by all passes over an animation. */
interface Shared {
  readonly spareCpu: SpareCpu;
  /** Whether the file has not been freed. */
  hasFile(): boolean;
  readonly releaseFile: ReleaseFile;
}

function* remade(candidate: PlannedAnimate, making: Making & Shared): Slices<Finished | Failure> {
  const { file, source, keeping, spareCpu, hasFile, releaseFile } = making;
  const { peak, share } = candidate;
  const isKept = keepsOriginal(candidate, source.image);
  const isOwn = candidate.type === source.image.type;
  const appearance = {
    ...appearanceOf({ ...candidate, kind: 'encode' }, source, keeping),
    ...(isOwn && carriedComments(file, keeping)),
  };
  return yield* withinArena(peak, function* () {
    // Half of the free memory is for pieces, and half for the file assembled from them.
    const bufferBytes = share.bufferBytes + Math.floor(ledger.freeBeside(peak) / 2);
    const passPeak = { ...peak, buffers: Math.max(peak.buffers, bufferBytes + share.besideBytes) };
    const workspace = new ApartWorkspace(arena.setApart(share.runBytes), bufferBytes);
    const maxBytes = resultRoom(candidate, source, workspace);
    const copyOut = (parts: readonly Uint8Array[]) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const hasRoom = ledger.makesRoomFor({ ...passPeak, buffers: passPeak.buffers + length });
      if (hasRoom) return copiedOut(parts, () => null);
      // The file is freed if even its rewrapped form would be longer.
      const isNeeded = !candidate.isAlone || (isKept && originalBytes(making) <= length);
      if (isNeeded) throw new NoMemory();
      return copiedOut(parts, releaseFile);
    };
    const work = {
      ...{ file, source, appearance, spareCpu, workspace },
      ...{ maxBytes, copyOut, hasFile, passPeak },
    };
    try {
      return yield* whileGranted(passPeak.buffers, () => encodeAnimation(candidate, work));
    } finally {
      arena.endApart();
    }
  });
}

/**
 * Rewraps the file without unwanted metadata. It is decoded first unless another candidate has verified it, and freed
 * for the result, because this is the last candidate.
 */
function* passedThrough(
  candidate: PassthroughCandidate & Pick<PlannedAnimate, 'peak'>,
  making: Making & Shared,
): Slices<Finished | Failure> {
  const { file, source, keeping, releaseFile } = making;
  return yield* withinArena(candidate.peak, function* () {
    if (!isRead(source)) return finish(file, candidate, source, keeping);
    try {
      if (candidate.verify) yield* verifyFrames(file, source);
      return finishedUntouched(original(making), releaseFile);
    } catch (error) {
      return error instanceof ContainerError ? damaged : failureOf(error, { source });
    }
  });
}

/**
 * Decodes all frames, except of an animation that takes far more work than any encoder makes: it stays as browsers show
 * it.
 * @throws ReadingError if a frame is damaged
 */
function* verifyFrames(file: Uint8Array, source: Source): Slices<void> {
  try {
    yield* viewFrames(file, source);
  } catch (error) {
    if (!(error instanceof ReadingError && error.isExcessive)) throw error;
  }
}

/** Whether the frames of its format can be read. */
function isRead({ image }: Source): boolean {
  return formatOf(image).read.animation !== undefined;
}

/** The rewrapped file without unwanted metadata. @throws ContainerError if its structure cannot be read */
function original({ file, source, keeping }: Making): Untouched {
  const reader = animationReaderOf(source);
  return untouched(file, source, keeping, ({ icc, metadata }) =>
    reader.rewrapped(source.image, file, {
      icc,
      metadata: withoutEmpty(metadata),
      ...carriedComments(file, keeping),
    }),
  );
}

/** Size of the rewrapped file in bytes; 0 if it cannot be rewrapped. */
function originalBytes(making: Making): number {
  try {
    return original(making).length;
  } catch (error) {
    if (error instanceof ContainerError) return 0;
    throw error;
  }
}

/** The size in which a viewer shows the result, with any orientation tag applied. */
function shownSize(source: Source, steps: PixelSteps): Size {
  return turnedSize(preparedSize(source, steps), steps.turn === 1 ? source.image.orientation : 1);
}

function resultOf(
  candidate: PlannedAnimation,
  { bytes, quality, score }: Finished,
  source: Source,
  isOpen: boolean,
): Result {
  const steps = candidate.kind === 'animate' ? candidate.pixels : null;
  const known = typeof quality === 'number' ? (score ?? null) : 100;
  return {
    kind: 'result',
    type: candidate.type as ImageType,
    bytes,
    ...(steps ? shownSize(source, steps) : uprightSize(source.image)),
    quality,
    score: isOpen && known !== null ? reportedScore(known) : null,
    smallerAs: null,
    hdr: null,
    engine: candidate.kind === 'animate' ? 'frames' : 'original',
  };
}

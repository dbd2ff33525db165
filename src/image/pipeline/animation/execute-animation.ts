import { ContainerError } from '../../container/assemble.ts';
import { NoMemory } from '../../container/workspace.ts';
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
import { ApartWorkspace } from '../../wasm/apart-workspace.ts';
import { arena } from '../../wasm/arena.ts';
import { ledger } from '../../wasm/memory-ledger.ts';
import { copiedOut, type ReleaseFile, withinArena } from '../../wasm/run-in-arena.ts';
import { SpareCpu } from '../attempts.ts';
import type { PassthroughCandidate, PixelSteps } from '../candidates.ts';
import { isBetterResult, tooLong, whileHeld } from '../comparison.ts';
import { appearanceOf, carriedComments, finish } from '../finish.ts';
import type { OptimizeOptions } from '../options.ts';
import { maxCpuMs } from '../predicted-cpu.ts';
import { type Failure, type Result, reportedScore } from '../result.ts';
import { failureOf } from './animate.ts';
import { keepsOriginal, type PlannedAnimate, type PlannedAnimation } from './candidates.ts';
import { madeAnimation } from './make-animation.ts';
import { resultRoom } from './memory.ts';
import { animationReaderOf, preparedSize, viewFrames } from './pictures.ts';

/** What a plan is carried out with. */
export interface Execution {
  readonly level: OptimizeOptions['metadata'];
  readonly maxBytes?: number | null;
  /** Nobody has asked for a quality of the encoder, so that results say how good they are. */
  readonly isOpen?: boolean;
  /** Gives the file's memory over, as soon as nothing needs it any more. */
  readonly releaseFile: ReleaseFile;
}

/**
 * Tries the candidates of an animation one after the other and keeps the smallest, or the finest where bytes are limited. Does
 * not yield: what the ledger says at the start holds until the end.
 */
export function executeAnimation(
  file: Uint8Array<ArrayBuffer>,
  source: Source,
  candidates: readonly PlannedAnimation[],
  { level, maxBytes = null, isOpen = false, releaseFile }: Execution,
): Result | Refusal {
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
    const made = whileHeld(best, () =>
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
      // it is sound as far as the one before has seen, which was all of it
      if (best) continue;
      return made;
    }
    const result = resultOf(candidate, made, source, isOpen);
    const isTooLong = maxBytes !== null && result.bytes.length > maxBytes;
    if (isTooLong) refusal = tooLong(refusal, result.bytes.length);
    const isBetter = !isTooLong && isBetterResult(result, best, { maxBytes, advantage: 1 });
    (isBetter ? best : result)?.bytes.buffer.transfer(0);
    if (isBetter) best = result;
    if (!hasFile) break;
  }
  return best ?? refusal ?? damaged;
}

/** What a candidate is made of. */
interface Making {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly source: Source;
  readonly keeping: Keeping;
}

/** What the passes over an animation share. */
interface Shared {
  readonly spareCpu: SpareCpu;
  /** Whether the file is still there. */
  hasFile(): boolean;
  readonly releaseFile: ReleaseFile;
}

function remade(candidate: PlannedAnimate, making: Making & Shared): Finished | Failure {
  const { file, source, keeping, spareCpu, hasFile, releaseFile } = making;
  const { peak, share } = candidate;
  const isKept = keepsOriginal(candidate, source.image);
  const isOwn = candidate.type === source.image.type;
  const appearance = {
    ...appearanceOf({ ...candidate, kind: 'encode' }, source, keeping),
    ...(isOwn && carriedComments(file, keeping)),
  };
  return withinArena(peak, () => {
    // what is free now, half of it for pieces, and half for the file that they become
    const bufferBytes = share.bufferBytes + Math.floor(ledger.freeBeside(peak) / 2);
    const passPeak = { ...peak, buffers: Math.max(peak.buffers, bufferBytes + share.besideBytes) };
    const workspace = new ApartWorkspace(arena.setApart(share.runBytes), bufferBytes);
    const maxBytes = resultRoom(candidate, source, workspace);
    const copyOut = (parts: readonly Uint8Array[]) => {
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const hasRoom = ledger.makesRoomFor({ ...passPeak, buffers: passPeak.buffers + length });
      if (hasRoom) return copiedOut(parts, () => null);
      // the file makes way where it would be longer, even without what of it is unwanted
      const isNeeded = !candidate.isAlone || (isKept && originalBytes(making) <= length);
      if (isNeeded) throw new NoMemory();
      return copiedOut(parts, releaseFile);
    };
    try {
      return madeAnimation(candidate, {
        ...{ file, source, appearance, spareCpu, workspace },
        ...{ maxBytes, copyOut, hasFile, passPeak },
      });
    } finally {
      arena.endApart();
    }
  });
}

/**
 * The file as it is, without what of it is unwanted; it is decoded first where nothing else has seen that it is sound. It makes
 * way for that, since nothing comes after it.
 */
function passedThrough(
  candidate: PassthroughCandidate & Pick<PlannedAnimate, 'peak'>,
  making: Making & Shared,
): Finished | Failure {
  const { file, source, keeping, releaseFile } = making;
  return withinArena(candidate.peak, () => {
    if (!isRead(source)) return finish(file, candidate, source, keeping);
    try {
      if (candidate.verify) viewFrames(file, source);
      return finishedUntouched(original(making), releaseFile);
    } catch (error) {
      return error instanceof ContainerError ? damaged : failureOf(error, { source });
    }
  });
}

/** Whether frames of its format are read. */
function isRead({ image }: Source): boolean {
  return formatOf(image).read.animation !== undefined;
}

/** The file without what of it is unwanted. @throws ContainerError where its structure cannot be read */
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

/** Bytes of the file without what of it is unwanted; 0 where it cannot be had. */
function originalBytes(making: Making): number {
  try {
    return original(making).length;
  } catch (error) {
    if (error instanceof ContainerError) return 0;
    throw error;
  }
}

/** The size in which a viewer shows it, that obeys an orientation which stays. */
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
    gainMap: null,
    engine: candidate.kind === 'animate' ? 'frames' : 'original',
  };
}

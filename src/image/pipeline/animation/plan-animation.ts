import { type ImageType, isOutputType, sourcesOf } from '../../formats/facts.ts';
import type { Source } from '../../formats/inspection.ts';
import { formatOf, outputFormat } from '../../formats/registry.ts';
import { type Refusal, refuseImage, refuseTooLarge } from '../../refusal.ts';
import { maxCpuMs, sideCeiling } from '../../wasm/budgets.ts';
import { fitsAlone } from '../../wasm/memory-ledger.ts';
import { isTakenWhole, remadeCandidate, typesToTry } from '../candidates.ts';
import { fileTooLarge } from '../fitting.ts';
import { matteFor } from '../obstacles.ts';
import type { OptimizeOptions } from '../options.ts';
import { carriedBytes } from '../predicted-memory.ts';
import { type AnimateCandidate, animationWriterOf, type PlannedAnimation } from './candidates.ts';
import { animatingCpu, usualCpu } from './cpu.ts';
import { animatingMemory, readerBytes } from './memory.ts';

/** Maximum number of pixels in all frames, each counted as large as the canvas. */
export const maxAnimationPixels = 500_000_000;
export const maxAnimationFrames = 10_000;

/**
 * Decides what to try for an animation, before any frame is decoded. It stays an animation; only `animation=first`
 * makes it a still.
 */
export function planAnimation(
  source: Source,
  options: OptimizeOptions,
): readonly PlannedAnimation[] | Refusal {
  const own = source.image.type as ImageType;
  const wanted = typesToTry(source.image, options);
  const moving = wanted.filter(
    (type) => options.format !== 'auto' || type === own || isWritten(type),
  );
  // If no accepted format supports animations, the format stays, unless types were listed explicitly.
  const types = moving.length > 0 ? moving : options.among ? wanted : [own];
  const beyond = beyondSums(source) ?? beyondReading(source);
  if (beyond) return beyond;
  const planned: PlannedAnimation[] = [];
  let refusal: Refusal | undefined;
  for (const type of types) {
    const one = plannedAs(type, source, options);
    if ('reason' in one) refusal ??= one;
    else planned.push(one);
  }
  if (types.includes(own) && isAsItWas(own, source, options)) {
    const original = plannedOriginal(own, source, planned);
    if (!fitsAlone(original.peak, source.fileBytes)) return fileTooLarge();
    planned.push(original);
  }
  return planned.length > 0 ? planned : (refusal ?? refuseImage(notHeld));
}

const notHeld = 'No format that was asked for can hold this animation.';

const deepDetail =
  'The 16-bit samples of this animation would show bands in 8 bits: use format=keep without width and height.';

function isWritten(type: ImageType): boolean {
  return isOutputType(type) && outputFormat(type).write.animation !== undefined;
}

function plannedAs(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): PlannedAnimation | Refusal {
  const { read, facts } = formatOf(source.image);
  if (!read.animation) {
    return refuseImage(
      `${facts.name} sequences are neither converted nor resized: use format=keep without width and height.`,
    );
  }
  if (!isOutputType(type) || !isWritten(type)) {
    const isOnlyOfOthers = isOutputType(type) && sourcesOf(outputFormat(type).facts) !== null;
    const asStill = isOnlyOfOthers ? 'animation=first in another format' : 'animation=first';
    return refuseImage(
      `Animations cannot become ${type}: choose a format that moves, or ask for ${asStill}.`,
    );
  }
  if (source.color.nearLinear) return refuseImage(deepDetail);
  const { image } = source;
  const isKept = type === image.type && isAsItWas(type, source, options);
  // Whether 8 bits represent all samples is only known after reading them.
  const shallow = { ...source, image: { ...image, bitDepth: 8 } };
  const encoded = remadeCandidate(type, isKept ? shallow : source, options);
  if ('reason' in encoded) return encoded;
  const wanted: AnimateCandidate = {
    ...encoded,
    kind: 'animate',
    isFirstOnly: image.frames === 1,
  };
  const carried = carriedBytes(source, options.metadata);
  const fits = (one: AnimateCandidate) =>
    fitsAlone(animatingMemory(one, source, carried).peak, source.fileBytes) &&
    animatingCpu(one, source) <= maxCpuMs;
  const candidate = fits(wanted) ? wanted : cheaper(wanted);
  const { peak, share } = animatingMemory(candidate, source, carried);
  if (!fitsAlone(peak, source.fileBytes)) {
    const limitPixels = fittingPixels(source, (scaled) => {
      const again = remadeCandidate(type, scaled, options);
      if ('reason' in again) return true;
      const smaller = { ...candidate, pixels: again.pixels };
      return fitsAlone(animatingMemory(smaller, scaled, carried).peak, source.fileBytes);
    });
    return limitPixels > 1 ? refuseTooLarge(limitPixels) : fileTooLarge();
  }
  const needed = animatingCpu(candidate, source);
  if (needed > maxCpuMs) {
    const { width, height } = image;
    return refuseTooLarge(Math.floor((width * height * maxCpuMs) / needed));
  }
  return { ...candidate, peak, share, cpuMs: usualCpu(candidate, source, maxCpuMs) };
}

/**
 * A cheaper version of a candidate that exceeds memory or CPU time: without color reduction, or with the usual quality
 * instead of a search.
 */
function cheaper(candidate: AnimateCandidate): AnimateCandidate {
  if (animationWriterOf(candidate).recoloring?.(candidate)) {
    return { ...candidate, quality: 'lossless' };
  }
  if (candidate.goal?.maxBytes !== null) return candidate;
  const { goal: _, ...unsought } = candidate;
  return unsought;
}

/** The unchanged animation; it is decoded to verify it, unless another candidate does that. */
function plannedOriginal(
  type: ImageType,
  source: Source,
  others: readonly PlannedAnimation[],
): PlannedAnimation {
  const { image, fileBytes } = source;
  const { animation } = formatOf(image).read;
  const verify = animation !== undefined && others.length === 0;
  return {
    kind: 'passthrough',
    type,
    verify,
    advantage: 1,
    // The result is assembled in the arena, and the file is freed before it is copied out.
    peak: animation
      ? { arena: fileBytes, side: readerBytes(source), buffers: 0 }
      : { arena: 0, side: 0, buffers: fileBytes },
    cpuMs: (image.partsMs ?? 0) + (verify ? animation.cpuMs(image, fileBytes) : 1),
  };
}

/** The refusal of an animation with too many frames or pixels; null if it is within the limits. */
function beyondSums({ image }: Source): Refusal | null {
  const { width, height, frames } = image;
  const { animation } = formatOf(image).read;
  if (!animation) return null;
  const pixels = Math.max(frames * width * height, image.frameTotals?.codedPixels ?? 0);
  if (frames <= maxAnimationFrames && pixels <= maxAnimationPixels) return null;
  const limitPixels = Math.floor(maxAnimationPixels / frames);
  const fitting = Math.floor((maxAnimationPixels * frames) / pixels);
  const limitFrames = Math.min(maxAnimationFrames, fitting);
  return { kind: 'refused', reason: 'animation-too-large', frames, limitFrames, limitPixels };
}

/** The refusal of an animation whose frames take too much memory to decode; null if they fit. */
function beyondReading(source: Source): Refusal | null {
  const fits = (scaled: Source) => readerBytes(scaled) <= sideCeiling;
  return fits(source) ? null : refuseTooLarge(fittingPixels(source, fits));
}

/** Whether pictures keep their size and transparency. */
function isAsItWas(type: ImageType, { image }: Source, options: OptimizeOptions): boolean {
  return isTakenWhole(image, options) && matteFor(type, image, options) === null;
}

/** Number of pixels, for the same aspect ratio, that fit into memory. */
function fittingPixels(source: Source, fits: (scaled: Source) => boolean): number {
  const { image } = source;
  const scaledBy = (scale: number) => ({
    width: Math.max(1, Math.floor(scale * image.width)),
    height: Math.max(1, Math.floor(scale * image.height)),
  });
  let [fitting, exceeding] = [0, 1];
  for (let i = 0; i < 20; i += 1) {
    const middle = (fitting + exceeding) / 2;
    if (fits({ ...source, image: { ...image, ...scaledBy(middle) } })) fitting = middle;
    else exceeding = middle;
  }
  const { width, height } = scaledBy(fitting);
  return width * height;
}

import { type ImageType, isOutputType } from '../../formats/facts.ts';
import type { Inspection, Source } from '../../formats/format.ts';
import { formatOf, outputFormat, uprightSize } from '../../formats/registry.ts';
import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import { resizeTarget } from '../../pixels/resize-target.ts';
import { type Refusal, refuseImage, refuseTooLarge } from '../../refusal.ts';
import {
  arenaCeiling,
  fitsAlone,
  ledger,
  type Peak,
  sideCeiling,
} from '../../wasm/memory-ledger.ts';
import { remadeCandidate, typesToTry } from '../candidates.ts';
import { fileTooLarge } from '../fitting.ts';
import type { OptimizeOptions } from '../options.ts';
import { stagesBytes } from '../pixel-stages.ts';
import { maxCpuMs } from '../predicted-cpu.ts';
import { carriedBytes } from '../predicted-memory.ts';
import { type AnimateCandidate, animationWriterOf, type PlannedAnimation } from './candidates.ts';
import { isPrepared, preparedSize } from './pictures.ts';
import { samplingMemory } from './samples.ts';

/** Pixels of all frames together, each as large as the canvas. */
export const maxAnimationPixels = 500_000_000;
export const maxAnimationFrames = 10_000;

/**
 * Decides what to try for an animation before a frame of it is decoded. It stays one: to flatten it is never the answer
 * to anything but `animation=first`.
 */
export function plannedAnimation(
  source: Source,
  options: OptimizeOptions,
): readonly PlannedAnimation[] | Refusal {
  const own = source.image.type as ImageType;
  const moving = typesToTry(own, options).filter(
    (type) => options.format !== 'auto' || type === own || isWritten(type),
  );
  // where nothing that is accepted moves, it stays what it is
  const types = moving.length > 0 ? moving : [own];
  const beyond = beyondSums(source) ?? beyondReading(source);
  if (beyond) return beyond;
  const planned: PlannedAnimation[] = [];
  let refusal: Refusal | undefined;
  for (const type of types) {
    const one = plannedAs(type, source, options);
    if ('reason' in one) refusal ??= one;
    else planned.push(one);
  }
  if (types.includes(own) && !isResized(source, options) && !source.image.isFirstOnly) {
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
    return refuseImage(
      `Animations cannot become ${type}: choose a format that moves, or ask for animation=first.`,
    );
  }
  if (source.color.nearLinear) return refuseImage(deepDetail);
  const { image } = source;
  const isKept = type === image.type && !isResized(source, options) && !image.isFirstOnly;
  // whether 8 bits hold all samples is known once they have been read
  const shallow = { ...source, image: { ...image, bitDepth: 8 } };
  const encoded = remadeCandidate(type, isKept ? shallow : source, options);
  if ('reason' in encoded) return encoded;
  const wanted: AnimateCandidate = {
    ...encoded,
    kind: 'animate',
    isFirstOnly: image.frames === 1,
  };
  const fits = (one: AnimateCandidate) =>
    fitsAlone(
      animatingPeak(one, source, carriedBytes(source, options.metadata)),
      source.fileBytes,
    ) && animatingCpu(one, source) <= maxCpuMs;
  const candidate = fits(wanted) ? wanted : keepingColors(wanted);
  const peak = animatingPeak(candidate, source, carriedBytes(source, options.metadata));
  if (!fitsAlone(peak, source.fileBytes)) {
    const carried = carriedBytes(source, options.metadata);
    return refuseTooLarge(
      fittingPixels(source, (scaled) => {
        const again = remadeCandidate(type, scaled, options);
        if ('reason' in again) return true;
        const smaller = { ...candidate, pixels: again.pixels };
        return fitsAlone(animatingPeak(smaller, scaled, carried), source.fileBytes);
      }),
    );
  }
  const cpuMs = animatingCpu(candidate, source);
  if (cpuMs > maxCpuMs) {
    const { width, height } = image;
    return refuseTooLarge(Math.floor((width * height * maxCpuMs) / cpuMs));
  }
  return { ...candidate, peak, cpuMs };
}

/** What takes less memory and time than choosing colours: all of them stay. */
function keepingColors(candidate: AnimateCandidate): AnimateCandidate {
  const isRecolored = animationWriterOf(candidate).recoloring?.(candidate);
  return isRecolored ? { ...candidate, quality: 'lossless' } : candidate;
}

/** The animation as it is; where nothing else will have decoded it, that is done to see that it is sound. */
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
    peak: { arena: 0, side: animation ? sideCeiling : 0, buffers: fileBytes },
    cpuMs: verify ? animation.cpuMs(image, fileBytes) : 1,
  };
}

/** More frames, or more pixels in them, than are gone through. */
function beyondSums({ image }: Source): Refusal | null {
  const { width, height, frames } = image;
  if (!formatOf(image).read.animation) return null;
  const limitPixels = Math.floor(maxAnimationPixels / frames);
  if (frames <= maxAnimationFrames && width * height <= limitPixels) return null;
  const limitFrames = Math.min(
    maxAnimationFrames,
    Math.floor(maxAnimationPixels / (width * height)),
  );
  return { kind: 'refused', reason: 'animation-too-large', frames, limitFrames, limitPixels };
}

/** Frames whose decoder takes more memory than there is for it, whatever becomes of them. */
function beyondReading(source: Source): Refusal | null {
  const fits = ({ image, fileBytes }: Source) => {
    const { animation: reader } = formatOf(image).read;
    return (reader?.arenaBytes?.(image, fileBytes) ?? 0) <= sideCeiling;
  };
  return fits(source) ? null : refuseTooLarge(fittingPixels(source, fits));
}

function isResized(source: Source, options: OptimizeOptions): boolean {
  return resizeTarget(uprightSize(source.image), options) !== null;
}

/** Memory that animating takes beside the file. */
function animatingPeak(candidate: AnimateCandidate, source: Source, carried: number): Peak {
  const { image } = source;
  const { animation: reader } = formatOf(image).read;
  const size = preparedSize(source, candidate.pixels);
  const { pixels } = candidate;
  const sourceCanvases = reader?.disposals.includes('previous') ? 2 : 1;
  const sourcePixels =
    sourceCanvases * image.width * image.height +
    (isPrepared(pixels) || !animationWriterOf(candidate).holdsPartialAlpha
      ? size.width * size.height
      : 0);
  const planned = animationWriterOf(candidate).changesColors(candidate) ? 3 : 2;
  const canvases = sourcePixels + planned * size.width * size.height;
  const shape = { ...size, hasAlpha: true };
  const arena = animationWriterOf(candidate).arenaBytes(shape, candidate);
  const recoloring = animationWriterOf(candidate).recoloring?.(candidate)?.bufferBytes(size) ?? 0;
  const drawing = bytesPerRasterPixel * canvases + stagesBytes(pixels) + frameBytes + recoloring;
  const result = plannedResultBytes(candidate, source);
  const search = samplingMemory(source, pixels);
  const searching =
    bytesPerRasterPixel * sourcePixels + stagesBytes(pixels) + search.buffers + recoloring;
  return {
    arena: Math.min(Math.max(arena, search.arena), arenaCeiling),
    side: sideCeiling,
    // once all frames are there, their canvases make way for a copy
    // what was made is scored beside the samples
    buffers: Math.max(searching + result, drawing + result, 2 * result) + carried,
  };
}

/** Of a frame as it was coded, in bytes, beside what is kept of the file. */
const frameBytes = 128 * 1024;

/** Bytes that there is room for in a result: all that it may have, but of a long file a half, which most of them come to. */
function plannedResultBytes(candidate: AnimateCandidate, { image, fileBytes }: Source): number {
  const most = isSame(candidate, image) ? fileBytes : 2 * fileBytes + frameBytes;
  return Math.min(most, Math.max(longResultBytes, fileBytes / 2));
}

const longResultBytes = 4 * 1024 * 1024;

/** Bytes that a result may have, if there is more room than was planned; one that grows in its own format and size is not kept. */
export function maxResultBytes(candidate: AnimateCandidate, source: Source, peak: Peak): number {
  const room = plannedResultBytes(candidate, source) + Math.floor(ledger.freeBeside(peak) / 2);
  return isSame(candidate, source.image) ? Math.min(room, source.fileBytes) : room;
}

/** Whether it stays in its format and size. */
export function isSame(
  { type, pixels, isFirstOnly }: AnimateCandidate,
  image: Inspection,
): boolean {
  return type === image.type && pixels.target === null && !isFirstOnly;
}

/** Pixels of a canvas shaped like this one for which there is memory. */
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

/** Computing time of drawing and comparing a million pixels, in milliseconds. */
const comparingMs = 9;

/** The share of all pixels that frames change, as a rule. */
const changedShare = 0.3;

function animatingCpu(candidate: AnimateCandidate, source: Source): number {
  const writer = animationWriterOf(candidate);
  const count = countOf(candidate, source);
  const { width, height } = preparedSize(source, candidate.pixels);
  const changed = changedShare * width * height * count;
  // what is shown in fewer colours is looked at once more
  const runs = (writer.isSurveyed ? 2 : 1) + (writer.recoloring?.(candidate) ? 1 : 0);
  return runs * drawingCpu(candidate, source) + writer.cpuMs({ count, pixels: changed }, candidate);
}

/** Computing time of decoding, drawing and comparing all pictures once, in milliseconds. */
export function drawingCpu(candidate: AnimateCandidate, source: Source): number {
  const { image, fileBytes } = source;
  const { animation: reader } = formatOf(image).read;
  const { width, height } = preparedSize(source, candidate.pixels);
  const count = countOf(candidate, source);
  const pixels = width * height * count;
  const recoloring = animationWriterOf(candidate).recoloring?.(candidate);
  return (
    (reader?.cpuMs(image, fileBytes) ?? 0) +
    comparingMs * 1e-6 * pixels +
    (recoloring?.cpuMs({ count, pixels }) ?? 0)
  );
}

function countOf({ isFirstOnly }: AnimateCandidate, { image }: Source): number {
  return isFirstOnly ? 1 : image.frames;
}

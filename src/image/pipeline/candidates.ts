import { codeValues } from '../color/source-color.ts';
import type { Coding } from '../formats/coding.ts';
import { automaticTypes, type ImageType, isOutputType, type OutputType } from '../formats/facts.ts';
import type { OwnCandidate, RecodeSettings } from '../formats/format.ts';
import type { GainMap, Inspection, Source } from '../formats/inspection.ts';
import {
  formatOf,
  outputFormat,
  placementOf,
  transcodingOf,
  trialFormOf,
  uprightSize,
} from '../formats/registry.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import type { Sampling } from '../metric/mosaic.ts';
import type { Rgba } from '../pixels/padded-rows.ts';
import {
  type CodedTarget,
  codedTarget,
  matchingTarget,
  type ResizeTarget,
  reducedSize,
  resizeTarget,
} from '../pixels/resize-target.ts';
import { type Refusal, refuseOptions } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import {
  colorObstacle,
  fillFor,
  lossOfSamples,
  type Matte,
  matteFor,
  samplesAs,
  sourceObstacle,
} from './obstacles.ts';
import type { OptimizeOptions } from './options.ts';
import {
  cappedTarget,
  type Goal,
  goalAt,
  goalOf,
  plannedQuality,
  requestedQuality,
  usualQuality,
} from './quality.ts';

/** A way to produce a result; the smallest result wins. */
export type Candidate = RecodeCandidate | EncodeCandidate | PassthroughCandidate;

/** A candidate and its predicted cost. */
export type PlannedCandidate = Candidate & {
  /** Peak memory, not counting the file. */
  readonly peak: Peak;
  /** CPU time in milliseconds, given that the earlier candidates of the plan have run. */
  readonly cpuMs: number;
  /** How its quality is searched for; absent if it is fixed. */
  readonly search?: {
    readonly sampling: Sampling;
    /** Whether the result is scored as a whole, and encoded again if it misses its target. */
    readonly isChecked: boolean;
    /** CPU time in milliseconds. */
    readonly cpuMs: number;
    /** The part of it that is for encoding the picture again. */
    readonly repeatMs: number;
  };
};

/** Recoded from the file, within its format or to another one. */
export interface RecodeCandidate extends RecodeSettings {
  readonly kind: 'recode';
  readonly type: ImageType;
  /** What to search for; absent if the quality is the requested one. */
  readonly goal?: Goal;
  /** Whether no other candidate needs the file, so that it can be freed for the result. */
  readonly isAlone: boolean;
}

/** Decoded to pixels and encoded again. */
export interface EncodeCandidate extends Coding {
  readonly kind: 'encode';
  readonly type: OutputType;
  /** What to search for; absent if the quality is the requested one. */
  readonly goal?: Goal;
  readonly pixels: PixelSteps;
  /** Whether no other candidate needs the file, so that it can be freed for the result. */
  readonly isAlone: boolean;
  /** The source's gain map if it is kept; null otherwise. */
  readonly gainMap: GainMapCandidate | null;
}

/** The gain map for the result of a picture, reduced by the same factor. */
export interface GainMapCandidate {
  readonly map: GainMap;
  /** The gain map as a picture of its own. */
  readonly source: Source;
  readonly candidate: EncodeCandidate;
}

/** The coded picture unchanged; metadata is removed when it is finished. */
export interface PassthroughCandidate {
  readonly kind: 'passthrough';
  readonly type: ImageType;
  /** Whether to decode it first, so that no damaged picture is returned; an earlier candidate may have done so. */
  readonly verify: boolean;
  /** The factor by which it may be longer than another candidate and still be preferred. */
  readonly advantage: number;
}

/** The file without unwanted metadata, unverified, for a picture of which nothing else can be made. */
export function lastResort({ type }: Inspection): PassthroughCandidate {
  return { kind: 'passthrough', type: type as ImageType, verify: false, advantage: 1 };
}

/** The steps applied to pixels between decoding and encoding, in this order. */
export interface PixelSteps {
  /** Whether samples are converted to sRGB: inks, or grays from their profile. */
  readonly toSrgb: boolean;
  /** Crop and reduction; null for none. */
  readonly target: CodedTarget | null;
  /** Rotation to upright; 1 if the file keeps its orientation tag instead. */
  readonly turn: Orientation;
  readonly background: Matte;
  /** The color of the margins of a target that has a place. */
  readonly fill?: Rgba;
}

/** Whether pixels may be transparent after these steps. */
export function hasAlphaAfter({ background, fill }: PixelSteps, { hasAlpha }: Inspection): boolean {
  return (hasAlpha && background === null) || (fill !== undefined && fill[3] < 255);
}

/**
 * The types to try, the picture's own first. `auto` is limited to the types that the picture can be converted to and
 * the client accepts, or to an explicit list.
 */
export function typesToTry(image: Inspection, options: OptimizeOptions): readonly ImageType[] {
  const { format, accept, among } = options;
  const own = image.type as ImageType;
  if (format === 'keep') return [own];
  if (format !== 'auto') return [format];
  if (among) return [...among].toSorted((a, b) => Number(b === own) - Number(a === own));
  const possible = automaticTypes.filter((type) => sourceObstacle(type, image, options) === null);
  const shown = [own, ...possible].filter((type) => accept.has(type));
  return shown.length > 0 ? [...new Set(shown)] : [own];
}

/**
 * The candidates for a result in one format, of which the smallest result wins.
 * @returns candidates, or why the format is not possible
 */
export function candidatesFor(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Candidate[] | Refusal {
  const { image } = source;
  const isWhole = isTakenWhole(image, options);
  if (isKeptAsIs(type, image, options)) return keptCandidates(type, source, options);
  if (isOutputType(type)) {
    const obstacle = sourceObstacle(type, image, options);
    if (obstacle) return obstacle;
    if (isWhole && transcodingOf(image, type)) return transcodedCandidates(type, source, options);
    const { name, output } = outputFormat(type).facts;
    if (!output.holdsStills)
      return refuseOptions(`Only animations become ${name}: choose another format.`);
    const remade = remadeCandidate(type, source, options);
    return 'reason' in remade ? remade : [remade];
  }
  const { name } = formatOf(image).facts;
  return refuseOptions(`${name} pictures can be read but not written: choose another format.`);
}

/** Whether the result keeps format, size, transparency and all frames, so that the file itself is one. */
export function isKeptAsIs(type: ImageType, image: Inspection, options: OptimizeOptions): boolean {
  return (
    type === image.type && isTakenWhole(image, options) && matteFor(type, image, options) === null
  );
}

/** Whether the result keeps the size of the picture, and all of its frames. */
export function isTakenWhole(image: Inspection, options: OptimizeOptions): boolean {
  return resizeTarget(uprightSize(image), options) === null && !image.isFirstOnly;
}

/**
 * Candidates for a picture that keeps its format, size and transparency. The file itself is always one of them, so the
 * result is never larger.
 */
function keptCandidates(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Candidate[] {
  const isOutput = isOutputType(type);
  const goal = goalIfOpen(type, options);
  const how = {
    exact: options.quality === 'lossless',
    isAutomatic: goal !== null,
    target: null,
    matte: null,
    hdr: options.hdr,
  };
  const candidates: Candidate[] = [];
  for (const candidate of ownCandidates(type, source, options)) {
    if (candidate.kind === 'recode') {
      const keeps = keepsGainMap(source, options);
      candidates.push(recodeCandidate(candidate, type, { options, keepsGainMap: keeps }));
    }
    if (candidate.kind === 'passthrough') candidates.push({ ...candidate, type });
    if (candidate.kind === 'encode' && isOutput) {
      const { quality: coded } = candidate;
      candidates.push(
        encodeCandidate(type, source, { ...how, quality: coded, isAlone: false, goal }),
      );
    }
  }
  return candidates;
}

/**
 * Candidates for a picture whose coded data can be converted to another format; recoding applies as within its format.
 */
function transcodedCandidates(
  type: OutputType,
  source: Source,
  options: OptimizeOptions,
): readonly RecodeCandidate[] {
  const goal = goalIfOpen(type, options);
  // Even with unchanged coefficients the result may look different, so its score is reported.
  const isChanged = goal !== null && trialFormOf(type).asTranscoded === true;
  return ownCandidates(type, source, options).flatMap((candidate) => {
    if (candidate.kind !== 'recode') return [];
    const made = recodeCandidate(candidate, type, { options, keepsGainMap: false });
    return [isChanged ? { ...made, goal } : made];
  });
}

/**
 * The candidates that the reader of a picture proposes for its own size.
 * @param type the format whose quality scale applies
 */
function ownCandidates(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly OwnCandidate[] {
  const isOutput = isOutputType(type);
  const goal = goalIfOpen(type, options);
  const usual = isOutput && goal ? usualQuality(type, goal.target) : 'lossless';
  return formatOf(source.image).read.candidates(source, {
    quality: requestedQuality(type, options) ?? usual,
    isAutomatic: requestedQuality(type, options) === null && isUsual(options),
    exact: options.quality === 'lossless',
    hasColorObstacle: isOutput && colorObstacle(type, source, null) !== null,
  });
}

/** Whether neither a target nor a maximum size is requested. */
function isUsual({ target, maxBytes }: OptimizeOptions): boolean {
  return target === null && maxBytes === null;
}

function recodeCandidate(
  how: RecodeSettings,
  type: ImageType,
  { options, keepsGainMap }: { readonly options: OptimizeOptions; readonly keepsGainMap: boolean },
): RecodeCandidate {
  const open = goalAt(how.quality, goalIfOpen(type, options));
  return { ...how, kind: 'recode', type, isAlone: isMadeOnce(options), keepsGainMap, ...open };
}

/** What to search for; null if a quality is requested. */
function goalIfOpen(type: ImageType, options: OptimizeOptions): Goal | null {
  return requestedQuality(type, options) === null ? goalOf(options) : null;
}

/** Whether a single candidate is made from the file, only once, and nothing else. */
function isMadeOnce({ format, among, maxBytes, keepsFile }: OptimizeOptions): boolean {
  return (format !== 'auto' || among?.size === 1) && maxBytes === null && !keepsFile;
}

function keepsGainMap({ image: { gainMap } }: Source, { hdr }: OptimizeOptions): boolean {
  return hdr === 'keep' && gainMap !== undefined && gainMap !== 'bound';
}

/**
 * The candidate for a picture that has to be decoded and encoded because its format or size changes, a matte is
 * applied, or its frames have to be drawn.
 */
export function remadeCandidate(
  type: OutputType,
  source: Source,
  options: OptimizeOptions,
): EncodeCandidate | Refusal {
  const { image, color } = source;
  const target = resizeTarget(uprightSize(image), options);
  const { facts, write } = outputFormat(type);
  const { longestSide } = facts.output;
  const { hdr } = options;
  const matte = matteFor(type, image, options);
  const fill = target?.place && fillFor(type, options);
  const obstacle = colorObstacle(type, source, fill ?? matte);
  if (obstacle) return obstacle;
  const exact = options.quality === 'lossless';
  const refused = exact ? lossOfSamples(type, source, { target, matte }) : null;
  if (refused) return refuseOptions(refused);
  const { width, height } = target ?? uprightSize(image);
  if (Math.max(width, height) > longestSide) {
    return refuseOptions(
      `No side of a ${facts.name} picture can be longer than ${longestSide} pixels.`,
    );
  }
  const reduction = target ? reducedSize(target).width / target.region.width : 1;
  const asked = requestedQuality(type, options);
  const wish = cappedTarget(goalOf(options), type, image, reduction);
  const goal = asked === null ? wish : null;
  const wanted = asked ?? plannedQuality(type, image, wish);
  const quality = write.effectiveQuality?.(wanted, color) ?? wanted;
  const isAutomatic = goal !== null;
  const isAlone = isMadeOnce(options);
  const how = {
    quality,
    exact,
    isAutomatic,
    target,
    matte,
    isAlone,
    hdr,
    goal,
    ...(fill && { fill }),
  };
  return encodeCandidate(type, source, how);
}

function encodeCandidate(
  type: OutputType,
  source: Source,
  how: Required<Pick<Coding, 'quality' | 'exact' | 'isAutomatic'>> & {
    readonly isAlone: boolean;
    readonly goal: Goal | null;
    /** Null if the size stays. */
    readonly target: ResizeTarget | null;
    readonly matte: Matte;
    readonly fill?: Rgba;
    readonly hdr: OptimizeOptions['hdr'];
  },
): EncodeCandidate {
  const { quality, exact, isAutomatic, target, matte, fill, isAlone, hdr, goal } = how;
  const { grey, toSrgb } = samplesAs(type, source, fill ?? matte);
  const { profile } = source.color.nearLinear ?? source.color;
  const steps = pixelSteps(type, source, target);
  const pixels = { ...steps, background: matte, toSrgb, ...(fill && { fill }) };
  return {
    kind: 'encode',
    type,
    quality,
    exact,
    isAutomatic,
    ...(target && { isReduced: true }),
    grey,
    icc: toSrgb ? null : profile,
    pixels,
    isAlone,
    ...goalAt(quality, goal),
    gainMap: hdr === 'keep' ? gainMapCandidate(type, source, pixels) : null,
  };
}

/** High, because any error in a gain map is multiplied into the brightness of the picture. */
const gainMapQuality = 95;

/** The source's gain map if the result can hold it: same format, neither turned nor with margins. */
function gainMapCandidate(
  type: OutputType,
  { image }: Source,
  { target, turn }: PixelSteps,
): GainMapCandidate | null {
  const map = image.gainMap;
  if (!map || map === 'bound' || type !== image.type || turn !== 1 || target?.place) return null;
  const mapTarget = target && matchingTarget(target, image, map.image);
  return {
    map,
    source: {
      kind: 'source',
      image: map.image,
      fileBytes: map.at.length,
      icc: null,
      color: codeValues,
    },
    candidate: {
      kind: 'encode',
      type,
      quality: gainMapQuality,
      exact: false,
      isAutomatic: false,
      grey: map.image.isGrey,
      icc: null,
      pixels: { target: mapTarget, turn: 1, background: null, toSrgb: false },
      isAlone: false,
      gainMap: null,
    },
  };
}

/** A candidate without its gain map; null if it has none. */
export function withoutGainMap<Wanted extends Candidate>(candidate: Wanted): Wanted | null {
  switch (candidate.kind) {
    case 'recode':
      return candidate.keepsGainMap ? { ...candidate, keepsGainMap: false } : null;
    case 'encode':
      return candidate.gainMap ? { ...candidate, gainMap: null } : null;
    case 'passthrough':
      return null;
  }
}

/** The crop, reduction and rotation between decoding a picture and encoding it as `type`. */
function pixelSteps(
  type: OutputType,
  { image }: Source,
  target: ResizeTarget | null,
): Pick<PixelSteps, 'target' | 'turn'> {
  const { holdsOrientation } = outputFormat(type).facts.output;
  const { region, turn } = placementOf(image);
  return {
    target: codedTarget(target, image, region, turn),
    // The file keeps its orientation tag if the format stays and supports one.
    turn: type === image.type && holdsOrientation ? 1 : turn,
  };
}

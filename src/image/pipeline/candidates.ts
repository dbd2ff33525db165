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
import {
  type CodedTarget,
  codedTarget,
  matchingTarget,
  type ResizeTarget,
  resizeTarget,
} from '../pixels/resize-target.ts';
import { type Refusal, refuseOptions } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import {
  colorObstacle,
  type Ground,
  greyAs,
  groundFor,
  lossOfSamples,
  sourceObstacle,
} from './obstacles.ts';
import type { OptimizeOptions } from './options.ts';
import {
  askedQuality,
  cappedTarget,
  plannedQuality,
  type Sought,
  soughtAt,
  soughtBy,
  usualQuality,
} from './quality.ts';

/** What can be made to answer a request; the smallest result wins. */
export type Candidate = RecodeCandidate | EncodeCandidate | PassthroughCandidate;

/** A candidate, and what it takes. */
export type PlannedCandidate = Candidate & {
  /** Memory beside the file. */
  readonly peak: Peak;
  /** Computing time in milliseconds, after the candidates before it in the plan. */
  readonly cpuMs: number;
  /** How its quality is looked for; absent: it is not. */
  readonly search?: {
    readonly sampling: Sampling;
    /** What has been made is scored as well, and made again where it is off its target. */
    readonly isChecked: boolean;
    /** Computing time, in milliseconds. */
    readonly cpuMs: number;
    /** Of this, what is for making the picture once more. */
    readonly repeatMs: number;
  };
};

/** Made from the file itself by a recoder: that of its format, or one that makes another of it. */
export interface RecodeCandidate extends RecodeSettings {
  readonly kind: 'recode';
  readonly type: ImageType;
  /** Absent: the quality is the one that was asked for. */
  readonly sought?: Sought;
  /** No other candidate needs the file: it makes way for the result. */
  readonly isAlone: boolean;
}

/** Decoded and encoded. */
export interface EncodeCandidate extends Coding {
  readonly kind: 'encode';
  readonly type: OutputType;
  /** Absent: the quality is the one that was asked for. */
  readonly sought?: Sought;
  readonly pixels: PixelSteps;
  /** No other candidate needs the file: it makes way for the result. */
  readonly isAlone: boolean;
  /** The source's gain map, which goes with it; null: there is none, or it is dropped. */
  readonly gainMap: GainMapCandidate | null;
}

/** A gain map on its way into the result of a picture: it becomes as much smaller. */
export interface GainMapCandidate {
  readonly map: GainMap;
  /** The map as a picture of its own. */
  readonly source: Source;
  readonly candidate: EncodeCandidate;
}

/** The coded picture as it is; metadata are taken out when it is finished. */
export interface PassthroughCandidate {
  readonly kind: 'passthrough';
  readonly type: ImageType;
  /** Decode it first, so that no damaged picture is handed on; candidates before it may have done so. */
  readonly verify: boolean;
  /** How many times as long as another candidate it may be and still be sent. */
  readonly advantage: number;
}

/** What happens to pixels between decoding and encoding, in this order. */
export interface PixelSteps {
  /** Grey samples leave their profile for sRGB. */
  readonly toSrgb: boolean;
  /** Cut out and reduced; null: all of it as it is. */
  readonly target: CodedTarget | null;
  /** Turned upright; 1 where the tag goes on with the file instead. */
  readonly turn: Orientation;
  readonly background: Ground;
}

/**
 * The types to try, the picture's own first. `auto` is bounded by what the picture can become and the caller can show,
 * or by what it shall choose among.
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
 * What can be tried to answer in one format.
 * @returns candidates, of which the smallest result wins, or why the format is out
 */
export function candidatesFor(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Candidate[] | Refusal {
  const { image } = source;
  const isWhole = isTakenWhole(image, options);
  const isAsItWas = isWhole && groundFor(type, image, options) === null;
  if (type === image.type && isAsItWas) return keptCandidates(type, source, options);
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

/** Whether all of a file becomes the result, in its size. */
export function isTakenWhole(image: Inspection, options: OptimizeOptions): boolean {
  return resizeTarget(uprightSize(image), options) === null && !image.isFirstOnly;
}

/** For a picture that keeps its format and size, and its transparency: the file itself is always in the running, so nothing ever grows. */
function keptCandidates(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Candidate[] {
  const isOutput = isOutputType(type);
  const sought = soughtIfOpen(type, options);
  const how = {
    exact: options.quality === 'lossless',
    isAutomatic: sought !== null,
    target: null,
    ground: null,
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
        encodeCandidate(type, source, { ...how, quality: coded, isAlone: false, sought }),
      );
    }
  }
  return candidates;
}

/** For a picture whose coded data can become those of another format: what recoding it would do is done to them. */
function transcodedCandidates(
  type: OutputType,
  source: Source,
  options: OptimizeOptions,
): readonly RecodeCandidate[] {
  const sought = soughtIfOpen(type, options);
  // even what keeps all coefficients may look otherwise, which is then told
  const isChanged = sought !== null && trialFormOf(type).asTranscoded === true;
  return ownCandidates(type, source, options).flatMap((candidate) => {
    if (candidate.kind !== 'recode') return [];
    const made = recodeCandidate(candidate, type, { options, keepsGainMap: false });
    return [isChanged ? { ...made, sought } : made];
  });
}

/** What the reader of a picture would try in its size. @param type on whose scale quality lies */
function ownCandidates(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly OwnCandidate[] {
  const isOutput = isOutputType(type);
  const sought = soughtIfOpen(type, options);
  const usual = isOutput && sought ? usualQuality(type, sought.target) : 'lossless';
  return formatOf(source.image).read.candidates(source, {
    quality: askedQuality(type, options) ?? usual,
    isAutomatic: askedQuality(type, options) === null && isUsual(options),
    exact: options.quality === 'lossless',
    hasColorObstacle: isOutput && colorObstacle(type, source, null) !== null,
  });
}

/** Nothing special is looked for. */
function isUsual({ target, maxBytes }: OptimizeOptions): boolean {
  return target === null && maxBytes === null;
}

function recodeCandidate(
  how: RecodeSettings,
  type: ImageType,
  { options, keepsGainMap }: { readonly options: OptimizeOptions; readonly keepsGainMap: boolean },
): RecodeCandidate {
  const open = soughtAt(how.quality, soughtIfOpen(type, options));
  return { ...how, kind: 'recode', type, isAlone: isMadeOnce(options), keepsGainMap, ...open };
}

/** What is looked for; null: a quality is asked for. */
function soughtIfOpen(type: ImageType, options: OptimizeOptions): Sought | null {
  return askedQuality(type, options) === null ? soughtBy(options) : null;
}

/** Nothing else is made of the file, nor is it coded a second time. */
function isMadeOnce({ format, among, maxBytes }: OptimizeOptions): boolean {
  return (format !== 'auto' || among?.size === 1) && maxBytes === null;
}

function keepsGainMap({ image: { gainMap } }: Source, { hdr }: OptimizeOptions): boolean {
  return hdr === 'keep' && gainMap !== undefined && gainMap !== 'bound';
}

/** For a picture that is decoded and encoded, because it changes its format or size, is laid on a ground, or has frames that are to be drawn. */
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
  const ground = groundFor(type, image, options);
  const obstacle = colorObstacle(type, source, ground);
  if (obstacle) return obstacle;
  const exact = options.quality === 'lossless';
  const refused = exact ? lossOfSamples(type, source, { target, ground }) : null;
  if (refused) return refuseOptions(refused);
  const { width, height } = target ?? uprightSize(image);
  if (Math.max(width, height) > longestSide) {
    return refuseOptions(`No side of a ${type} picture can be longer than ${longestSide} pixels.`);
  }
  const reduction = target ? target.width / target.region.width : 1;
  const asked = askedQuality(type, options);
  const wish = cappedTarget(soughtBy(options), type, image, reduction);
  const sought = asked === null ? wish : null;
  const wanted = asked ?? plannedQuality(type, image, wish);
  const quality = write.effectiveQuality?.(wanted, color) ?? wanted;
  const isAutomatic = sought !== null;
  const isAlone = isMadeOnce(options);
  const how = { quality, exact, isAutomatic, target, ground, isAlone, hdr, sought };
  return encodeCandidate(type, source, how);
}

/** A picture's colours are carried by what the format knows. */
function encodeCandidate(
  type: OutputType,
  source: Source,
  how: Required<Pick<Coding, 'quality' | 'exact' | 'isAutomatic'>> & {
    readonly isAlone: boolean;
    readonly sought: Sought | null;
    /** Null: its size stays. */
    readonly target: ResizeTarget | null;
    readonly ground: Ground;
    readonly hdr: OptimizeOptions['hdr'];
  },
): EncodeCandidate {
  const { quality, exact, isAutomatic, target, ground, isAlone, hdr, sought } = how;
  const { grey, toSrgb } = greyAs(type, source, ground);
  const { profile } = source.color.nearLinear ?? source.color;
  const pixels = { ...pixelSteps(type, source, target), background: ground, toSrgb };
  return {
    kind: 'encode',
    type,
    quality,
    exact,
    isAutomatic,
    grey,
    icc: toSrgb ? null : profile,
    pixels,
    isAlone,
    ...soughtAt(quality, sought),
    gainMap: hdr === 'keep' ? gainMapCandidate(type, source, pixels) : null,
  };
}

/** A gain map is made smaller, but no worse: its steps are multiplied into the light of the picture. */
const gainMapQuality = 95;

/** The source's gain map where the result can hold it: in the same format, and turned as it was. */
function gainMapCandidate(
  type: OutputType,
  { image }: Source,
  { target, turn }: PixelSteps,
): GainMapCandidate | null {
  const map = image.gainMap;
  if (!map || map === 'bound' || type !== image.type || turn !== 1) return null;
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

/** The same without the gain map; null where there is none in it. */
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

/** Where the pixels of a picture go between decoding and encoding it as `type`. */
function pixelSteps(
  type: OutputType,
  { image }: Source,
  target: ResizeTarget | null,
): Pick<PixelSteps, 'target' | 'turn'> {
  const { holdsOrientation } = outputFormat(type).facts.output;
  const { region, turn } = placementOf(image);
  return {
    target: codedTarget(target, image, region, turn),
    // the tag goes on with the file where the format stays and has one
    turn: type === image.type && holdsOrientation ? 1 : turn,
  };
}

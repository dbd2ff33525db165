import {
  formatFacts,
  type ImageType,
  isMeantByWildcard,
  isOutputType,
  type OutputType,
  outputTypes,
} from '../formats/facts.ts';
import type { Quality } from '../formats/inspection.ts';
import { ImageError } from '../image-error.ts';
import type { MetadataLevel } from '../metadata/carried.ts';
import { namedTargets, targetRange } from '../metric/targets.ts';
import { centerPosition, type Fit, type Position } from '../pixels/resize-target.ts';

/** Options of a request; the defaults are those of the API. */
export interface OptimizeOptions {
  readonly format: 'keep' | 'auto' | OutputType;
  readonly quality: 'auto' | Quality;
  /** Quality of a PNG if `quality` is `auto` for other formats; null for `auto`. */
  readonly pngQuality: number | null;
  /**
   * Requested SSIMULACRA2 score, 30 to 95; null for that of `quality=auto`, which is a minimum if `maxBytes` is given.
   * Null with any other quality.
   */
  readonly target: number | null;
  /** Maximum size of the result in bytes, including metadata; null for no limit. Null unless quality is `auto`. */
  readonly maxBytes: number | null;
  /** The box in pixels of the upright picture, for which `fit` applies; null for no limit. */
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: Fit;
  /** The point that a crop keeps nearest to its middle, or that margins leave in proportion; `auto`: what is of interest. */
  readonly position: Position | 'auto';
  /** `thumbhash`: a few bytes that show blurred colors until the result has loaded. */
  readonly placeholder: 'none' | 'thumbhash';
  readonly metadata: MetadataLevel;
  /** `first`: only the first picture of an animation, as a still. */
  readonly animation: 'keep' | 'first';
  /** Whether a JPEG that stays one keeps its gain map. */
  readonly hdr: 'keep' | 'drop';
  /** RGB bytes of the color behind transparent pixels, for formats without transparency. */
  readonly background: readonly [number, number, number] | null;
  /** Whether `background` is applied to stills in all formats, so that the result is opaque. */
  readonly flattens: boolean;
  /** Types that the client accepts; `format=auto` chooses among them. */
  readonly accept: ReadonlySet<ImageType>;
  /**
   * The types that `format=auto` chooses among, regardless of `accept`; null for the source's own and the automatic
   * ones. Not empty; types that the picture cannot be converted to are skipped.
   */
  readonly among: ReadonlySet<OutputType> | null;
  /** Whether other results will be made of the file, so that its memory cannot be used for this one. */
  readonly keepsFile: boolean;
}

/** Accepted types if the client states none: all that a wildcard means. */
export const anyType: ReadonlySet<ImageType> = new Set(
  formatFacts.filter(isMeantByWildcard).map(({ type }) => type),
);

export const defaultOptions = {
  format: 'keep',
  quality: 'auto',
  pngQuality: null,
  target: null,
  maxBytes: null,
  width: null,
  height: null,
  fit: 'inside',
  position: centerPosition,
  placeholder: 'none',
  metadata: 'none',
  animation: 'keep',
  hdr: 'keep',
  background: null,
  flattens: false,
  accept: anyType,
  among: null,
  keepsFile: false,
} as const satisfies OptimizeOptions;

/** Options as people write them: those of `POST /v1/optimize`, in camelCase. What is left out has the default. */
export interface GivenOptions {
  /** The format of the result. `auto`: the smallest of the own one and those that can be shown everywhere. */
  readonly format?: 'keep' | 'auto' | OutputType | undefined;
  /** `auto`, or a setting of the encoder: `lossless`, or 1 to 100 on its own scale. */
  readonly quality?: 'auto' | Quality | undefined;
  /** SSIMULACRA2 score to reach, 30 to 95; `low` is 65, `medium`, the default, 77, `high` 86. Not with `quality`. */
  readonly target?: TargetName | number | undefined;
  /** Maximum size of the result in bytes, 1000 or more: the best quality that fits. Not with `quality`. */
  readonly maxBytes?: number | undefined;
  /** The box in pixels that the image has to fit as `fit` says. Nothing is enlarged. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /**
   * `inside`: as large as the box allows; `outside`: as small as covers it; `cover`: fills it, and is cropped; `fill`:
   * fills it, and is stretched; `contain`: `inside` with margins in the color of `background`, without one transparent,
   * or white where the format cannot be. All but `inside` need both sides.
   */
  readonly fit?: Fit | undefined;
  /**
   * What `cover` keeps, or where `contain` puts the image: `center`, a side, a corner such as `top-left`, a point such as
   * `0.3,0.7`, or `auto`, which looks for what is of interest.
   */
  readonly position?: string | undefined;
  readonly placeholder?: OptimizeOptions['placeholder'] | undefined;
  readonly metadata?: Extract<MetadataLevel, string> | undefined;
  readonly animation?: OptimizeOptions['animation'] | undefined;
  readonly hdr?: OptimizeOptions['hdr'] | undefined;
  /** The color behind transparency, such as `#ffffff`. */
  readonly background?: string | undefined;
  /** The formats that `format: 'auto'` chooses among. */
  readonly among?: readonly OutputType[] | undefined;
}

type TargetName = keyof typeof namedTargets;

/** Valid values of an option. */
export interface OptionRule {
  readonly words: readonly string[];
  /** Whole numbers. */
  readonly range?: { readonly min: number; readonly max?: number };
  readonly pattern?: RegExp;
  /** What `pattern` looks like. */
  readonly example?: string;
}

/** Maximum of `width` and `height` in pixels. */
export const maxSide = 16_384;

/** The positions that have names, as fractions of the sides. */
export const namedPositions = {
  center: centerPosition,
  top: { x: 0.5, y: 0 },
  bottom: { x: 0.5, y: 1 },
  left: { x: 0, y: 0.5 },
  right: { x: 1, y: 0.5 },
  'top-left': { x: 0, y: 0 },
  'top-right': { x: 1, y: 0 },
  'bottom-left': { x: 0, y: 1 },
  'bottom-right': { x: 1, y: 1 },
} as const satisfies Readonly<Record<string, Position>>;

/** Two fractions of at most six digits, from 0 to 1. */
export const pointPattern =
  /^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?),(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/;

/** The position that a valid text means. */
export function positionOf(text: string): Position | 'auto' {
  if (text === 'auto') return 'auto';
  if (Object.hasOwn(namedPositions, text))
    return namedPositions[text as keyof typeof namedPositions];
  const [x = 0.5, y = 0.5] = text.split(',').map(Number);
  return { x, y };
}

/** Valid values of the options that are one word or number each. */
export const optionRules = {
  format: { words: ['keep', 'auto', ...outputTypes] },
  quality: { words: ['auto', 'lossless'], range: { min: 1, max: 100 } },
  target: { words: Object.keys(namedTargets), range: targetRange },
  maxBytes: { words: [], range: { min: 1000 } },
  width: { words: [], range: { min: 1, max: maxSide } },
  height: { words: [], range: { min: 1, max: maxSide } },
  fit: { words: ['inside', 'outside', 'cover', 'contain', 'fill'] },
  position: {
    words: [...Object.keys(namedPositions), 'auto'],
    pattern: pointPattern,
    example: 'x,y',
  },
  placeholder: { words: ['none', 'thumbhash'] },
  metadata: { words: ['none', 'copyright', 'all'] },
  animation: { words: ['keep', 'first'] },
  hdr: { words: ['keep', 'drop'] },
  background: { words: [], pattern: /^#[0-9a-f]{6}$/i, example: '#rrggbb' },
} as const satisfies Readonly<Record<Exclude<keyof GivenOptions, 'among'>, OptionRule>>;

/**
 * Checks options, and completes them.
 * @throws ImageError `invalid_options` that names the first invalid option and its valid values
 */
export function readOptions(given: GivenOptions): OptimizeOptions {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || name === 'among') continue;
    if (!Object.hasOwn(optionRules, name)) throw invalidOption(name, 'is not an option');
    const rule: OptionRule = optionRules[name as keyof typeof optionRules];
    if (!fits(value, rule)) throw invalidOption(name, `should be ${choices(rule)}`);
  }
  const { format, quality, target, maxBytes, width, height, fit, position, background, among } =
    given;
  if (quality !== undefined && (target ?? maxBytes) !== undefined) {
    const name = target === undefined ? 'maxBytes' : 'target';
    throw invalidOption(name, 'cannot be combined with quality');
  }
  if (fit && fit !== 'inside' && (width === undefined || height === undefined)) {
    throw invalidOption('fit', `${fit} needs both width and height`);
  }
  if (position !== undefined && fit !== 'cover' && fit !== 'contain') {
    throw invalidOption('position', 'needs fit cover or contain');
  }
  if (among && (format !== 'auto' || among.length === 0 || !among.every(isOutputType))) {
    throw invalidOption('among', 'lists formats of which format auto chooses one');
  }
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...defaultOptions,
    ...Object.fromEntries(named),
    target: typeof target === 'string' ? namedTargets[target] : (target ?? null),
    position: position === undefined ? defaultOptions.position : positionOf(position),
    background: background === undefined ? null : rgbOf(background),
    among: among === undefined ? null : new Set(among),
  };
}

function fits(value: unknown, { words, range, pattern }: OptionRule): boolean {
  if (typeof value === 'string') return words.includes(value) || pattern?.test(value) === true;
  if (typeof value !== 'number' || !range) return false;
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  return Number.isInteger(value) && value >= min && value <= max;
}

/** The valid values in words, such as `auto, lossless or 1 to 100`. */
export function choices({ words, range, example }: OptionRule): string {
  const numbers = range && (range.max ? `${range.min} to ${range.max}` : `${range.min} or more`);
  const all = [...words, ...(numbers ? [numbers] : []), ...(example ? [example] : [])];
  const last = all.pop() ?? '';
  return all.length > 0 ? `${all.join(', ')} or ${last}` : last;
}

function invalidOption(path: string, message: string): ImageError {
  return new ImageError('invalid_options', `Option "${path}": ${message}.`, {
    errors: [{ path, message }],
  });
}

function rgbOf(text: string): [number, number, number] {
  const channel = (at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

import { isOutputType, type OutputType } from '../../formats/facts.ts';
import { ImageError } from '../../image-error.ts';
import type { Size } from '../../pixels/raster.ts';
import { resizeTarget } from '../../pixels/resize-target.ts';
import { type GivenOptions, maxSide, type OptimizeOptions, readOptions } from '../options.ts';

/** The width and height of every result, in proportion. */
interface Ratio {
  readonly width: number;
  readonly height: number;
}

/** What a set of results is made of; they have all other options in common. */
export interface SetOptions {
  /** In pixels of the upright picture, ascending. */
  readonly widths: readonly number[];
  readonly formats: readonly ('keep' | OutputType)[];
  /** Null for that of the picture. */
  readonly ratio: Ratio | null;
  /** Its box and format are those of the results. */
  readonly shared: OptimizeOptions;
}

/** Sets as people write them: those of `POST /v1/sets`, in camelCase. */
export interface GivenSetOptions
  extends Omit<GivenOptions, 'width' | 'height' | 'format' | 'among'> {
  /**
   * Widths in pixels, ascending, 10 at most. Those above the width of the image are left out, but for one of its own
   * width.
   */
  readonly widths: readonly number[];
  /** Formats of each width, 4 at most; `keep`, the default, is that of the image. */
  readonly formats?: readonly ('keep' | OutputType)[] | undefined;
  /** Proportions to crop to, such as `16:9`, or as `fit` says. */
  readonly ratio?: string | undefined;
}

/** Most widths and formats of a set. */
export const setLimits = { widths: 10, formats: 4 } as const;

/** Two numbers of at most two decimals, not 0. */
export const ratioPattern =
  /^(?!0+(?:\.0+)?:)\d{1,5}(?:\.\d{1,2})?:(?!0+(?:\.0+)?$)\d{1,5}(?:\.\d{1,2})?$/;

/** The fits that result in the ratio that is asked for; the first one is the default. */
export const ratioFits = ['cover', 'contain', 'fill'] as const;

/**
 * Checks the options of a set, and completes them.
 * @throws ImageError `invalid_options` that names the first invalid option and its valid values
 */
export function readSetOptions(given: GivenSetOptions): SetOptions {
  const { widths, formats = ['keep'], ratio, fit, position, ...others } = given;
  for (const name of ['width', 'height', 'format', 'among'])
    if (name in others) throw invalid(name, 'is not an option of sets');
  const { widths: most, formats: mostFormats } = setLimits;
  if (!Array.isArray(widths) || !isAscending(widths) || widths.length > most) {
    throw invalid('widths', `lists 1 to ${most} widths from 1 to ${maxSide}, ascending`);
  }
  const areFormats =
    Array.isArray(formats) && formats.every((one) => one === 'keep' || isOutputType(one));
  const isCount = areFormats && formats.length >= 1 && formats.length <= mostFormats;
  if (!isCount || !isDistinct(formats)) {
    throw invalid('formats', `lists 1 to ${mostFormats} formats, or keep, once each`);
  }
  if (ratio === undefined) {
    if (fit !== undefined) throw invalid('fit', 'needs a ratio');
    if (position !== undefined) throw invalid('position', 'needs a ratio');
  } else if (!ratioPattern.test(ratio)) {
    throw invalid('ratio', 'is two numbers such as 16:9');
  }
  // With a ratio, the box of each result has both sides.
  const fitting = ratio === undefined ? {} : { width: 1, height: 1, fit: fit ?? ratioFits[0] };
  const shared = readOptions({ ...others, ...fitting, ...(position && { position }) });
  const set = { widths, formats, ratio: ratio === undefined ? null : ratioOf(ratio), shared };
  const problem = problemOf(set);
  if (problem) throw invalid(problem.path, problem.message);
  return set;
}

/** What cannot be combined in a set, in words; null if nothing. */
export function problemOf({
  widths,
  ratio,
  shared: { fit },
}: SetOptions): { readonly path: 'fit' | 'ratio'; readonly message: string } | null {
  if (!ratio) return null;
  if (!ratioFits.some((one) => one === fit)) {
    return { path: 'fit', message: `is ${ratioFits.join(', ')} with a ratio` };
  }
  const tallest = heightAt(widths.at(-1) ?? 1, ratio);
  if (tallest <= maxSide) return null;
  return { path: 'ratio', message: `makes the widest result higher than ${maxSide} pixels` };
}

/** @param text a valid one */
export function ratioOf(text: string): Ratio {
  const [width = 1, height = 1] = text.split(':').map(Number);
  return { width, height };
}

function isAscending(widths: readonly unknown[]): boolean {
  return (
    widths.length > 0 &&
    widths.every((width, i) => {
      const before = i === 0 ? 0 : Number(widths[i - 1]);
      return Number.isInteger(width) && Number(width) > before && Number(width) <= maxSide;
    })
  );
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function heightAt(width: number, ratio: Ratio): number {
  return Math.max(1, Math.round((width * ratio.height) / ratio.width));
}

function invalid(path: string, message: string): ImageError {
  return new ImageError('invalid_options', `Option "${path}": ${message}.`, {
    errors: [{ path, message }],
  });
}

/** One result of a set. */
export interface SetItem {
  /** That of its box in pixels, which names it. */
  readonly width: number;
  readonly options: OptimizeOptions;
}

/**
 * The results of a set for a picture, by width and then format: those above its own width are replaced by one of that
 * width, and a format that is the picture's own anyway is not made twice.
 * @param upright size of the picture
 * @param own its type
 */
export function itemsOf(set: SetOptions, upright: Size, own: string): readonly SetItem[] {
  const { formats, ratio, shared } = set;
  const widest = widestOf(set, upright);
  const widths = new Set(set.widths.map((width) => Math.min(width, widest)));
  const different = formats.filter((format) => format !== own || !formats.includes('keep'));
  return [...widths].flatMap((width, column) =>
    different.map((format, row) => {
      const box = { width, height: ratio && heightAt(width, ratio) };
      // They would all be the same: one is enough.
      const isShown = column === widths.size - 1 && row === 0;
      const placeholder = isShown ? shared.placeholder : 'none';
      return { width, options: { ...shared, ...box, format, placeholder, keepsFile: true } };
    }),
  );
}

/** The width from which on results would be the same, or have nothing but wider margins. */
function widestOf({ ratio, shared }: SetOptions, upright: Size): number {
  if (!ratio) return upright.width;
  const across = (upright.height * ratio.width) / ratio.height;
  if (shared.fit === 'contain') return Math.ceil(Math.max(upright.width, across));
  const box = { ...shared, width: maxSide, height: heightAt(maxSide, ratio) };
  return (resizeTarget(upright, box) ?? upright).width;
}

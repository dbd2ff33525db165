import type { Canvas, PlannedFrame } from '../../animation/timeline.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { PngLayout, SampleKinds } from './layout.ts';
import {
  countBorders,
  orderByBorders,
  orderByLuma,
  orderedPalette,
  type Palette,
} from './palette.ts';

/** The colors of an animation's frames surveyed so far, as RGBA words. */
export interface ColorSurvey {
  /** Null once there are more than a palette holds. */
  colors: Set<number> | null;
  isOpaque: boolean;
  /** Whether no pixel is partly transparent. */
  isOpaqueOrHidden: boolean;
  isGrey: boolean;
  /** For each gray value, 1 if an opaque pixel has it. */
  readonly usedGreys: Uint8Array;
}

/** The layout in which all frames of an animation are written. */
export interface SharedLayout {
  readonly layout: PngLayout;
  readonly palette: Palette | null;
  /** Whether a pixel of a frame can be fully transparent. */
  readonly hasTransparent: boolean;
}

export function newColorSurvey(): ColorSurvey {
  return {
    colors: new Set(),
    isOpaque: true,
    isOpaqueOrHidden: true,
    isGrey: true,
    usedGreys: new Uint8Array(256),
  };
}

/** CPU time of surveying a frame, in milliseconds per megapixel. */
const colorMs = 60;

/**
 * Surveys the pixels of a frame.
 * @param keepsHidden whether colors of fully transparent pixels count as well
 */
export function* surveyFrame(
  survey: ColorSurvey,
  { region, picture }: Pick<PlannedFrame, 'region' | 'picture'>,
  keepsHidden: boolean,
): Slices<void> {
  const { left, top, width, height } = region;
  let last = -1;
  const pace = Pace.ofRows(width, colorMs);
  for (let y = top; y < top + height; y += 1) {
    const start = y * picture.width + left;
    for (let i = start; i < start + width; i += 1) {
      const color = picture.pixels[i] ?? 0;
      if (color === last) continue;
      last = color;
      takeColor(survey, keepsHidden || color >>> 24 !== 0 ? color : 0, keepsHidden);
    }
    yield* pace.after();
  }
}

function takeColor(survey: ColorSurvey, color: number, keepsHidden: boolean): void {
  const { colors } = survey;
  if (colors) {
    colors.add(color);
    if (colors.size > 256) survey.colors = null;
  }
  const [red, green, blue, alpha] = [
    color & 255,
    (color >> 8) & 255,
    (color >> 16) & 255,
    color >>> 24,
  ];
  if (alpha === 0 && !keepsHidden) {
    survey.isOpaque = false;
    return;
  }
  const isGrey = red === green && green === blue;
  if (!isGrey) survey.isGrey = false;
  if (alpha === 255) {
    if (isGrey) survey.usedGreys[red] = 1;
    return;
  }
  survey.isOpaque = false;
  // Hidden colors that are kept need an alpha of their own.
  survey.isOpaqueOrHidden = false;
}

/**
 * Returns the layout that holds all frames in the fewest bits. If all pixels are opaque, a color is reserved for
 * transparency, for frames that are blended over others.
 */
export function sharedLayout(survey: ColorSurvey, kinds: SampleKinds): SharedLayout {
  const { colors, isOpaque, isOpaqueOrHidden, usedGreys } = survey;
  const isGrey = survey.isGrey && kinds !== 'colored';
  const unused = usedGreys.indexOf(0);
  const key = isOpaqueOrHidden && unused >= 0 ? unused * 0x01_01_01 : null;
  const isFew = kinds !== 'grey' && colors !== null && colors.size <= 16;
  if (isGrey && isOpaqueOrHidden && !isFew && (isOpaque || key !== null)) {
    const layout = { kind: 'samples', colorType: 0, bitDepth: 8, key } as const;
    return { layout, palette: null, hasTransparent: key !== null };
  }
  if (colors && kinds !== 'grey') return indexed(colors);
  if (!isOpaqueOrHidden || (!isOpaque && key === null)) {
    const layout = { kind: 'samples', colorType: isGrey ? 4 : 6, bitDepth: 8, key: null } as const;
    return { layout, palette: null, hasTransparent: true };
  }
  const layout = { kind: 'samples', colorType: 2, bitDepth: 8, key } as const;
  return { layout, palette: null, hasTransparent: key !== null };
}

/** Returns a palette layout for all frames, with a transparent entry if there is room for one. */
export function indexed(colors: Iterable<number>): SharedLayout {
  const distinct = new Set(colors);
  const hasRoom = distinct.size < 256;
  if (hasRoom) distinct.add(0);
  const words = Uint32Array.from(distinct);
  const bytes = new Uint8Array(words.buffer);
  const { palette } = orderedPalette(bytes, orderByLuma(bytes));
  const size = words.length;
  const bitDepth = size <= 2 ? 1 : size <= 4 ? 2 : size <= 16 ? 4 : 8;
  return {
    layout: { kind: 'palette', bitDepth },
    palette,
    hasTransparent: distinct.has(0),
  };
}

/** Reorders the palette by how its colors meet in the middle of a picture. */
export function* orderedAsIn(
  shared: SharedLayout,
  { pixels, width, height }: Canvas,
): Slices<SharedLayout> {
  const colors = shared.palette;
  if (!colors) return shared;
  const words = new Uint32Array(colors.slice().buffer);
  const places = new Map(Array.from(words, (word, i) => [word, i]));
  // Transparent pixels may have any color.
  const transparent = places.get(0) ?? 0;
  const rows = Math.min(height, Math.ceil(enoughPixels / width));
  const from = width * ((height - rows) >> 1);
  const middle = pixels.subarray(from, from + width * rows);
  const indices = Uint8Array.from(middle, (word) => places.get(word) ?? transparent);
  const borders = yield* countBorders(indices, width, words.length);
  const order = orderByBorders(borders, words.length);
  return { ...shared, palette: orderedPalette(colors, order).palette };
}

/** Pixels of a picture that are examined to see which colors meet. */
const enoughPixels = 2 ** 18;

/** Returns the layout, and its variant with whole bytes if its indices are packed. */
export function withWholeBytes(shared: SharedLayout): readonly SharedLayout[] {
  const { layout } = shared;
  if (layout.kind !== 'palette' || layout.bitDepth === 8) return [shared];
  return [shared, { ...shared, layout: { kind: 'palette', bitDepth: 8 } }];
}

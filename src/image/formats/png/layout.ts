import { profileSpace } from '../../color/icc-reader.ts';
import type { Slices } from '../../slices.ts';
import type { PngColorType } from './inspect.ts';
import type { PngKernel } from './kernel.ts';
import {
  type DeepPixelRows,
  forEachRow,
  type PixelRows,
  passMs,
  type RowBuffers,
} from './pixel-rows.ts';

/** The form in which samples are written (PNG third edition §11.2.1, §11.3.1.1). */
export type PngLayout =
  /** Indices into PLTE. */
  | { readonly kind: 'palette'; readonly bitDepth: PaletteDepth }
  /** 8-bit samples, or gray of fewer bits. */
  | {
      readonly kind: 'samples';
      readonly colorType: 0 | 2 | 4 | 6;
      readonly bitDepth: 1 | 2 | 4 | 8;
      /** Red, green and blue, from the lowest byte up, that stand for full transparency; null for none. */
      readonly key: number | null;
    }
  /** 16-bit samples; a color key is the file's own. */
  | {
      readonly kind: 'deep';
      readonly colorType: 0 | 2 | 4 | 6;
      readonly bitDepth: 16;
      readonly keepsKey: boolean;
    };

type PaletteDepth = 1 | 2 | 4 | 8;

type PaletteLayout = PngLayout & { readonly kind: 'palette' };

/** Results of a survey of a picture's 8-bit pixels. */
export interface Traits {
  /** Number of distinct RGBA values; null if more than 256. */
  readonly colors: number | null;
  readonly isGrey: boolean;
  /** Minimum bit depth that holds every gray value. */
  readonly greyDepth: 1 | 2 | 4 | 8;
  readonly isOpaque: boolean;
  /** A color for the fully transparent pixels of a picture without partly transparent ones; null if there is none. */
  readonly key: number | null;
}

/**
 * Maximum number of pixels of a picture for which additional candidates are tried, because they cost next to nothing.
 */
export const smallPicture = 2 ** 18;

/**
 * The layouts that hold a picture exactly and may be the smallest, the most likely first. For some pictures of few
 * colors, deflate handles whole bytes better than packed indices.
 */
export function exactLayouts(
  traits: Traits,
  pixels: number,
  kinds: SampleKinds,
): readonly PngLayout[] {
  const direct = directLayout(traits, kinds);
  const { colors } = traits;
  const indexed = kinds === 'grey' || colors === null ? null : paletteLayouts(colors, pixels);
  const isSmall = pixels <= smallPicture;
  if (!indexed) return withWholeBytes(direct, isSmall);
  const directBits = bitsOf(direct);
  const [{ bitDepth }] = indexed;
  if (directBits <= bitDepth) {
    const others = directBits < bitDepth || !isSmall ? [] : indexed.slice(0, 1);
    return [...withWholeBytes(direct, isSmall), ...others];
  }
  return [...indexed, ...(isSmall ? [direct] : [])];
}

/** The palette layouts for a number of colors that may be the smallest, the most likely first. */
export function paletteLayouts(
  colors: number,
  pixels: number,
): readonly [PaletteLayout, ...PaletteLayout[]] {
  const packed = { kind: 'palette', bitDepth: paletteDepth(colors) } as const;
  const isWhole = packed.bitDepth === 8 || pixels > smallPicture;
  return isWhole ? [packed] : [packed, { ...packed, bitDepth: 8 }];
}

/** Samples per pixel by color type (PNG third edition §11.2.1). */
export const samplesPerPixel: Readonly<Record<PngColorType, number>> = {
  0: 1,
  2: 3,
  3: 1,
  4: 2,
  6: 4,
};

/** Bits per pixel. */
export function bitsOf(layout: PngLayout): number {
  return samplesPerPixel[colorTypeOf(layout)] * layout.bitDepth;
}

/** Bytes of a row, without its filter byte (PNG third edition §7.2). */
export function packedRowBytes(width: number, layout: PngLayout): number {
  return Math.ceil((width * bitsOf(layout)) / 8);
}

export function colorTypeOf(layout: PngLayout): PngColorType {
  return layout.kind === 'palette' ? 3 : layout.colorType;
}

/** The minimum bit depth for a number of colors. */
function paletteDepth(colors: number): PaletteDepth {
  if (colors <= 2) return 1;
  if (colors <= 4) return 2;
  return colors <= 16 ? 4 : 8;
}

function directLayout({ isGrey, greyDepth, isOpaque, key }: Traits, kinds: SampleKinds): PngLayout {
  const isWrittenGrey = isGrey && kinds !== 'colored';
  if (isOpaque) {
    return isWrittenGrey
      ? { kind: 'samples', colorType: 0, bitDepth: greyDepth, key: null }
      : { kind: 'samples', colorType: 2, bitDepth: 8, key: null };
  }
  if (key === null) {
    return { kind: 'samples', colorType: isWrittenGrey ? 4 : 6, bitDepth: 8, key };
  }
  return { kind: 'samples', colorType: isWrittenGrey ? 0 : 2, bitDepth: 8, key };
}

function withWholeBytes(layout: PngLayout, isSmall: boolean): readonly PngLayout[] {
  if (!isSmall || layout.kind === 'deep' || layout.bitDepth === 8) return [layout];
  return [layout, { ...layout, bitDepth: 8 }];
}

/** Which kinds of samples may be written. */
export type SampleKinds = 'any' | 'grey' | 'colored';

/** A profile only applies to a picture of its own kind (PNG third edition §11.3.2.3). */
export function sampleKinds(icc: Uint8Array | null): SampleKinds {
  if (!icc) return 'any';
  return profileSpace(icc) === 'grey' ? 'grey' : 'colored';
}

/** Results of a run over all pixels. */
export type Survey =
  | {
      readonly kind: 'shallow';
      readonly traits: Traits;
      /** Whether 16-bit samples have been rounded. */
      readonly isRounded: boolean;
    }
  | { readonly kind: 'deep'; readonly isGrey: boolean; readonly isOpaque: boolean };

/** What must be preserved in a picture. */
interface SurveySettings {
  /** Whether to keep colors of fully transparent pixels. */
  readonly keepsHidden: boolean;
  readonly kinds: SampleKinds;
  /** Whether to keep samples that do not fit 8 bits. */
  readonly keepsDepth: boolean;
}

/**
 * Surveys all pixels of a picture, which also verifies that it can be read to its end.
 *
 * @param deepRows `rows` in full depth, if samples have 16 bits
 * @throws CodecError if the picture is damaged
 */
export function* survey(
  kernel: PngKernel,
  rows: PixelRows,
  deepRows: DeepPixelRows | null,
  { rgba, deep }: RowBuffers,
  { keepsHidden, kinds, keepsDepth }: SurveySettings,
): Slices<Survey> {
  const { width } = rows;
  let isRounded = false;
  if (deepRows) {
    yield* forEachRow(deepRows, passMs.survey, function* () {
      deepRows.expandDeep(deep);
      kernel.surveyDeepRow(deep, width, keepsHidden, rgba);
    });
    isRounded = !kernel.allShallow();
    if (isRounded && keepsDepth) {
      return {
        kind: 'deep',
        isGrey: kernel.allDeepGrey() !== 0,
        isOpaque: kernel.allDeepOpaque() !== 0,
      };
    }
  }
  if (!deepRows || isRounded) {
    yield* forEachRow(rows, passMs.survey, function* () {
      rows.expand(rgba);
      kernel.surveyRow(rgba, width, keepsHidden);
    });
  }
  const colors = kernel.colorCount();
  const isIndexed = kinds !== 'grey' && colors >= 0;
  return {
    kind: 'shallow',
    isRounded,
    traits: {
      colors: colors < 0 ? null : colors,
      isGrey: kernel.allGrey() !== 0,
      greyDepth: kernel.greyDepth() as Traits['greyDepth'],
      isOpaque: kernel.allOpaque() !== 0,
      key: isIndexed ? null : yield* keyFor(kernel, rows, rgba, keepsHidden),
    },
  };
}

/**
 * A color that only fully transparent pixels have, or may be given: their own, or an unused gray. Takes a run over the
 * picture, provided that no pixel is partly transparent.
 */
function* keyFor(
  kernel: PngKernel,
  rows: PixelRows,
  rgba: number,
  keepsHidden: boolean,
): Slices<number | null> {
  if (kernel.allOpaque() || !kernel.allOpaqueOrHidden()) return null;
  const hidden = kernel.sharedHiddenColor();
  if (keepsHidden && hidden < 0) return null;
  let isUsed = false;
  yield* forEachRow(rows, passMs.survey, function* () {
    rows.expand(rgba);
    if (keepsHidden) isUsed ||= kernel.hasOpaque(rgba, rows.width, hidden) !== 0;
    else kernel.takeUsedGreys(rgba, rows.width);
  });
  if (keepsHidden) return isUsed ? null : hidden;
  const grey = kernel.unusedGrey();
  return grey < 0 ? null : grey * 0x01_01_01;
}

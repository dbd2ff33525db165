import { profileSpace } from '../../color/icc-reader.ts';
import type { PngColorType } from './inspect.ts';
import type { PngKernel } from './kernel.ts';
import { type DeepPixelRows, forEachRow, type PixelRows, type RowBuffers } from './pixel-rows.ts';

/** The form in which samples are written (PNG third edition §11.2.1, §11.3.1.1). */
export type PngLayout =
  /** Indices into PLTE. */
  | { readonly kind: 'palette'; readonly bitDepth: PaletteDepth }
  /** Samples of 8 bits, or gray of fewer. */
  | {
      readonly kind: 'samples';
      readonly colorType: 0 | 2 | 4 | 6;
      readonly bitDepth: 1 | 2 | 4 | 8;
      /** Red, green and blue, from the lowest byte up, that stand for full transparency; null for none do. */
      readonly key: number | null;
    }
  /** Samples of 16 bits; a key is the file's own. */
  | {
      readonly kind: 'deep';
      readonly colorType: 0 | 2 | 4 | 6;
      readonly bitDepth: 16;
      readonly keepsKey: boolean;
    };

type PaletteDepth = 1 | 2 | 4 | 8;

type PaletteLayout = PngLayout & { readonly kind: 'palette' };

/** What survey of a picture's 8-bit pixels has shown. */
export interface Traits {
  /** Distinct RGBA values; null if they are more than 256. */
  readonly colors: number | null;
  readonly isGrey: boolean;
  /** Least bits that hold every gray. */
  readonly greyDepth: 1 | 2 | 4 | 8;
  readonly isOpaque: boolean;
  /**
   * A color for the fully transparent pixels of a picture that has no partly transparent ones; null if there is none.
   */
  readonly key: number | null;
}

/** Up to here further candidates are tried, in pixels, because they can be had for next to nothing. */
export const smallPicture = 2 ** 18;

/**
 * The layouts that can be the smallest for a picture and hold it exactly, the most likely first. Deflate likes whole
 * bytes for some pictures of few colors better than packed ones.
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

/** The layouts of so many colors as indices that can be the smallest, the most likely first. */
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

/** Bits of a pixel. */
export function bitsOf(layout: PngLayout): number {
  return samplesPerPixel[colorTypeOf(layout)] * layout.bitDepth;
}

/** Bytes of a row of so many pixels, without its filter byte (PNG third edition §7.2). */
export function packedRowBytes(width: number, layout: PngLayout): number {
  return Math.ceil((width * bitsOf(layout)) / 8);
}

export function colorTypeOf(layout: PngLayout): PngColorType {
  return layout.kind === 'palette' ? 3 : layout.colorType;
}

/** The fewest bits that can tell so many colors apart. */
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

/** A profile counts only in a picture of its own kind (PNG third edition §11.3.2.3). */
export function sampleKinds(icc: Uint8Array | null): SampleKinds {
  if (!icc) return 'any';
  return profileSpace(icc) === 'grey' ? 'grey' : 'colored';
}

/** What a run over all pixels shows. */
export type Survey =
  | {
      readonly kind: 'shallow';
      readonly traits: Traits;
      /** Samples of 16 bits have been rounded. */
      readonly isRounded: boolean;
    }
  | { readonly kind: 'deep'; readonly isGrey: boolean; readonly isOpaque: boolean };

/** What counts in a picture. */
interface SurveySettings {
  /** Colors under full transparency. */
  readonly keepsHidden: boolean;
  readonly kinds: SampleKinds;
  /** Samples that 8 bits do not hold. */
  readonly keepsDepth: boolean;
}

/**
 * Looks at all pixels of a picture, and so makes sure that it can be read to its end.
 *
 * @param deepRows `rows` with all their bits, where samples have 16
 * @throws CodecError if the picture is damaged
 */
export function survey(
  kernel: PngKernel,
  rows: PixelRows,
  deepRows: DeepPixelRows | null,
  { rgba, deep }: RowBuffers,
  { keepsHidden, kinds, keepsDepth }: SurveySettings,
): Survey {
  const { width } = rows;
  let isRounded = false;
  if (deepRows) {
    forEachRow(deepRows, () => {
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
    forEachRow(rows, () => {
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
      key: isIndexed ? null : keyFor(kernel, rows, rgba, keepsHidden),
    },
  };
}

/**
 * A color that only fully transparent pixels have, or may be given: their own, or a gray that is free. Takes a run over
 * the picture, where none of its pixels is partly transparent.
 */
function keyFor(
  kernel: PngKernel,
  rows: PixelRows,
  rgba: number,
  keepsHidden: boolean,
): number | null {
  if (kernel.allOpaque() || !kernel.allOpaqueOrHidden()) return null;
  const hidden = kernel.sharedHiddenColor();
  if (keepsHidden && hidden < 0) return null;
  let isUsed = false;
  forEachRow(rows, () => {
    rows.expand(rgba);
    if (keepsHidden) isUsed ||= kernel.hasOpaque(rgba, rows.width, hidden) !== 0;
    else kernel.takeUsedGreys(rgba, rows.width);
  });
  if (keepsHidden) return isUsed ? null : hidden;
  const grey = kernel.unusedGrey();
  return grey < 0 ? null : grey * 0x01_01_01;
}

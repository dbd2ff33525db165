import type { PngColorType } from '../inspect/inspection.ts';
import { pngPixelBits } from './row-bytes.ts';
import type { SampleKinds } from './sample-kinds.ts';

/** The form in which samples are written (PNG third edition §11.2.1, §11.3.1.1). */
export type PngLayout =
  /** Indices into PLTE. */
  | { readonly kind: 'palette'; readonly bitDepth: PaletteDepth }
  /** Samples of 8 bits, or grey of fewer. */
  | {
      readonly kind: 'samples';
      readonly colorType: 0 | 2 | 4 | 6;
      readonly bitDepth: 1 | 2 | 4 | 8;
      /** Red, green and blue, from the lowest byte up, that stand for full transparency; null: none do. */
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
  /** Distinct RGBA values; null when they are more than 256. */
  readonly colors: number | null;
  readonly isGrey: boolean;
  /** Least bits that hold every grey. */
  readonly greyDepth: 1 | 2 | 4 | 8;
  readonly isOpaque: boolean;
  /** A colour for the fully transparent pixels of a picture that has no partly transparent ones; null: there is none. */
  readonly key: number | null;
}

/** Up to here further ways are tried, in pixels, because they can be had for next to nothing. */
export const smallPicture = 2 ** 18;

/**
 * The layouts that can be the smallest for a picture and hold it exactly, the most likely first.
 * Deflate likes whole bytes for some pictures of few colours better than packed ones.
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

/** The layouts of so many colours as indices that can be the smallest, the most likely first. */
export function paletteLayouts(
  colors: number,
  pixels: number,
): readonly [PaletteLayout, ...PaletteLayout[]] {
  const packed = { kind: 'palette', bitDepth: paletteDepth(colors) } as const;
  const isWhole = packed.bitDepth === 8 || pixels > smallPicture;
  return isWhole ? [packed] : [packed, { ...packed, bitDepth: 8 }];
}

/** Bits of a pixel. */
export function bitsOf(layout: PngLayout): number {
  return pngPixelBits({ colorType: colorTypeOf(layout), bitDepth: layout.bitDepth });
}

export function colorTypeOf(layout: PngLayout): PngColorType {
  return layout.kind === 'palette' ? 3 : layout.colorType;
}

/** The fewest bits that can tell so many colours apart. */
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

import type { PngKernel } from './kernel.ts';
import type { Traits } from './layout.ts';
import { type DeepPixelRows, forEachRow, type PixelRows } from './pixel-rows.ts';
import type { RowBuffers } from './row-buffers.ts';
import type { SampleKinds } from './sample-kinds.ts';

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
export interface SurveySettings {
  /** Colours under full transparency. */
  readonly keepsHidden: boolean;
  readonly kinds: SampleKinds;
  /** Samples that 8 bits do not hold. */
  readonly keepsDepth: boolean;
}

/**
 * Looks at all pixels of a picture, and so makes sure that it can be read to its end.
 *
 * @param deepRows the same as `rows`, where samples have 16 bits
 * @throws CodecError where the picture is damaged
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
 * A colour that only fully transparent pixels have, or may be given: their own, or a grey that is
 * free. Takes a run over the picture, where none of its pixels is partly transparent.
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

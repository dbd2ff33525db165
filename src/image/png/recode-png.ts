import { CandidateStreams } from './candidate-streams.ts';
import type { PngFrame } from './coded-png.ts';
import { expectRoom, type PngKernel } from './kernel.ts';
import { exactLayouts, type PngLayout, paletteDepth } from './layout.ts';
import { type OrderedPalette, orderedPalette } from './palette.ts';
import type { DeepPixelRows, PixelRows } from './pixel-rows.ts';
import { chosenPalette, type PaletteTarget, writeQuantized } from './quantized-rows.ts';
import { allocateRowBuffers } from './row-buffers.ts';
import type { SampleKinds } from './sample-kinds.ts';
import { type Survey, survey } from './survey.ts';
import { type Stream, writeDeep, writeExactly } from './written-rows.ts';

/** How a picture is to be written. */
export interface PngRequest {
  /** How much colours may change; null: every sample that is seen stays. */
  readonly palette: PaletteTarget | null;
  /** Colours under full transparency stay, too. */
  readonly keepsHidden: boolean;
  readonly kinds: SampleKinds;
  /** The source's own tRNS, if it has one that is a colour. */
  readonly ownKey: Uint8Array | null;
  /** Chunks between IHDR and PLTE. */
  readonly preamble: Uint8Array;
  /** Bytes that the file may have. */
  readonly most: number;
  /** There is no more memory to be had, and what finds too little of it is left out. */
  readonly mayBeCramped: boolean;
}

/** A picture as it was written. */
export interface RecodedPng {
  readonly frame: PngFrame;
  /** In the kernel's memory. */
  readonly stream: Stream;
  /** Whether every sample that is seen is what it was. */
  readonly isExact: boolean;
}

/**
 * Writes a picture in the smallest way that is found. Its rows flow by several times: to be looked
 * at, to have their colours counted, and once for each way that is tried.
 *
 * @param deepRows the same as `rows`, where 16 bits of a sample are to be kept
 * @returns null where nothing is as small as it has to be
 * @throws CodecError where the picture is damaged, or takes more memory than there is
 */
export function recodePng(
  kernel: PngKernel,
  rows: PixelRows,
  deepRows: DeepPixelRows | null,
  request: PngRequest,
): RecodedPng | null {
  const { keepsHidden } = request;
  rows.begin();
  const buffers = allocateRowBuffers(kernel, rows.width, deepRows !== null);
  expectRoom(kernel.beginColors());
  const found = survey(kernel, rows, deepRows, buffers, request);
  const candidates = new CandidateStreams(kernel, request);

  if (found.kind === 'deep') {
    const layout = deepLayout(found, request);
    const frame = frameOf(rows, layout, null, layout.keepsKey ? request.ownKey : null);
    candidates.offer(frame, true, (most) =>
      deepRows ? writeDeep(kernel, deepRows, buffers, { layout, keepsHidden, most }) : null,
    );
    return candidates.best;
  }

  const { palette } = request;
  if (palette && found.traits.colors === null) {
    const start = kernel.taken();
    const colors = chosenPalette(kernel, rows, buffers, palette);
    if (colors) {
      const layout = { kind: 'palette', bitDepth: paletteDepth(colors.ranks.length) } as const;
      const frame = frameOf(rows, layout, colors, null);
      candidates.offer(
        frame,
        false,
        (most) => writeQuantized(kernel, rows, buffers, { colors, target: palette, most }),
        start,
      );
    } else {
      kernel.release(start);
    }
  }
  const colors = found.traits.colors === null ? null : exactPalette(kernel);
  for (const layout of exactLayouts(found.traits, rows.width * rows.height, request.kinds)) {
    const frame = frameOf(rows, layout, layout.kind === 'palette' ? colors : null, null);
    candidates.offer(frame, true, (most) =>
      writeExactly(kernel, rows, buffers, { layout, keepsHidden, most }),
    );
  }
  return candidates.best;
}

function frameOf(
  { width, height }: PixelRows,
  layout: PngLayout,
  colors: OrderedPalette | null,
  ownKey: Uint8Array | null,
): PngFrame {
  return { width, height, layout, palette: colors?.palette ?? null, ownKey };
}

/** All colours that the survey has found, with what they are written as set. */
function exactPalette(kernel: PngKernel): OrderedPalette {
  const at = kernel.colorsAt();
  const colors = orderedPalette(kernel.bytes.slice(at, at + 4 * kernel.colorCount()));
  kernel.bytes.set(colors.ranks, kernel.colorIndicesAt());
  return colors;
}

const deep = { kind: 'deep', bitDepth: 16 } as const;

/** A key stays with the samples that it was made for. */
function deepLayout(
  { isGrey, isOpaque }: Survey & { kind: 'deep' },
  { kinds, ownKey }: PngRequest,
): PngLayout & { kind: 'deep' } {
  const isWrittenGrey = isGrey && kinds !== 'colored';
  if (isOpaque) return { ...deep, colorType: isWrittenGrey ? 0 : 2, keepsKey: false };
  if (ownKey) return { ...deep, colorType: ownKey.length === 2 ? 0 : 2, keepsKey: true };
  return { ...deep, colorType: isWrittenGrey ? 4 : 6, keepsKey: false };
}

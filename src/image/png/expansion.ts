import type { PngInspection } from '../inspect/inspection.ts';

/** What the samples of a row are. */
export type PngSamples = Pick<PngInspection, 'colorType' | 'bitDepth'>;

/** Writes so many pixels of an unfiltered row, which begins with its filter byte, from its target's start. */
export type RowExpander = (row: Uint8Array, columns: number) => void;

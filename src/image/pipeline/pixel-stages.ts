import { type Curves, sampleTable, srgbCurves } from '../color/curves.ts';
import { greyToSrgb } from '../color/srgb-profile.ts';
import type { Decoding, Detail, Halvings } from '../formats/coding.ts';
import type { Source } from '../formats/inspection.ts';
import { decoderOf, formatOf } from '../formats/registry.ts';
import { flattenRow, type Region } from '../pixels/raster.ts';
import type { CodedTarget } from '../pixels/resize-target.ts';
import { ResizedRows } from '../pixels/resized-rows.ts';
import { changedRows, type RowSource } from '../pixels/row-source.ts';
import type { PixelSteps } from './candidates.ts';

/**
 * Taken beside rows and rasters while a picture is reduced: code that gets hot on the way, views of rows
 * that wait for the collector. Measured in workerd by `npm run bench -- --only memory`: up to 3 MiB, and it varies.
 */
const reducingBytes = 4 * 1024 * 1024;

/** What the stages between a reader and a writer hold, turning left aside, in bytes. */
export function stagesBytes({ target }: PixelSteps): number {
  return target ? ResizedRows.bufferBytes(target.region, target) + reducingBytes : 0;
}

/**
 * Computing time of what stands between decoding and encoding, in milliseconds for a million pixels:
 * fitted to what `npm run bench -- --only cpu <folder of images>` measures.
 */
const costs = {
  /** A raster of rows, or a copy of one. */
  joining: 1.5,
  reducing: { perSource: 15, perResult: 45 },
  turning: 12,
  flattening: 8,
  /** Samples through a table. */
  grey: 6,
} as const;

/** Making the table that brings 16-bit samples to 8, in milliseconds. */
const sampleTableMs = 4;

/** Computing time of preparing a picture's pixels, in milliseconds. */
export function preparingCpu(source: Source, steps: PixelSteps): number {
  const { image, fileBytes } = source;
  const { target } = steps;
  const decoder = decoderOf(image);
  const halvings = target ? decoder.halvingsFor(reductionOf(target)) : 0;
  return decoder.cpuMs(image, fileBytes, halvings) + stagesCpu(source, steps, halvings);
}

/**
 * Computing time of what happens to a picture's pixels once they are decoded, in milliseconds.
 * @param halvings of its sides, while it was decoded
 */
export function stagesCpu(
  { image, color }: Source,
  { target, turn, background, toSrgb }: PixelSteps,
  halvings: Halvings,
): number {
  const megapixels = ({ width, height }: { width: number; height: number }) =>
    (width * height) / 1e6;
  const table = color.nearLinear ? sampleTableMs : 0;
  const flowing =
    (toSrgb ? costs.grey * megapixels(image) : 0) +
    (target
      ? (costs.reducing.perSource * megapixels(target.region)) / 4 ** halvings +
        costs.reducing.perResult * megapixels(target)
      : costs.joining * megapixels(image));
  const result = megapixels(target ?? image);
  const turning = turn === 1 ? 0 : costs.turning * result;
  const flattening = background ? costs.flattening * result : 0;
  return table + flowing + turning + flattening;
}

/** Sides that are reduced further than this leave no lines as they were drawn. */
const maxDrawnReduction = 1.6;

/** How much there is to code in prepared pixels: reduced, a pixel has more to show. */
export function preparedDetail({ image, fileBytes }: Source, { target }: PixelSteps): Detail {
  const detail = formatOf(image).read.detail(image, fileBytes);
  const reduction = target ? reductionOf(target) : 1;
  return {
    density: Math.min(1, detail.density * Math.sqrt(reduction)),
    isDrawn: detail.isDrawn && reduction < maxDrawnReduction,
  };
}

/** How many times as long the sides of the source are. */
function reductionOf({ region, width, height }: CodedTarget): number {
  return Math.min(region.width / width, region.height / height);
}

/** How a picture is read that is taken through these steps: decoding itself does the first halvings where that is not seen. */
export function decodingFor(source: Source, steps: PixelSteps): Decoding {
  const decoder = decoderOf(source.image);
  const { target } = steps;
  const halvings = target ? decoder.halvingsFor(reductionOf(target)) : 0;
  return { halvings, deepSamples: samplesOf(source, steps).deep };
}

/**
 * The rows of a picture after all steps but turning, which come as they were read.
 * @param halvings that decoding has done
 */
export function stagedRows(
  rows: RowSource,
  source: Source,
  steps: PixelSteps,
  halvings: Halvings,
): RowSource {
  const { target, background } = steps;
  const { grey, curves } = samplesOf(source, steps);
  let staged = grey ? changedRows(rows, (row) => throughTable(row, grey)) : rows;
  if (target) {
    staged = new ResizedRows(staged, halvedRegion(target.region, halvings), target, curves);
  }
  return background ? changedRows(staged, (row) => flattenRow(row, background)) : staged;
}

/** The region in pixels of the halved picture. */
function halvedRegion(region: Region, halvings: Halvings): Region {
  const by = 2 ** -halvings;
  return {
    left: by * region.left,
    top: by * region.top,
    width: by * region.width,
    height: by * region.height,
  };
}

/** How samples are to be read. */
interface Samples {
  /** For work in linear light, once the tables have been applied. */
  readonly curves: Curves;
  /** 8-bit codes of 16-bit samples; null: the nearest. */
  readonly deep: Uint8Array | null;
  /** From codes under a grey profile to sRGB's; null: they stay. */
  readonly grey: Uint8Array | null;
}

/** Those of a picture that is taken through these steps. */
function samplesOf({ color }: Source, { toSrgb }: PixelSteps): Samples {
  const deep = color.nearLinear ? sampleTable(color.curves[0]) : null;
  const grey = toSrgb && !deep && color.profile ? greyToSrgb(color.profile) : null;
  return { deep, grey, curves: deep || grey ? srgbCurves : color.curves };
}

/** Colour samples of RGBA by a table, alpha as it is. */
function throughTable(data: Uint8ClampedArray | Uint8Array, table: Uint8Array): void {
  for (let i = 0; i < data.length; i += 4) {
    for (let channel = i; channel < i + 3; channel += 1) {
      data[channel] = table[data[channel] ?? 0] ?? 0;
    }
  }
}

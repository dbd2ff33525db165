import { type Curves, sampleTable, srgbCurves } from '../color/curves.ts';
import { inksToSrgb, inkTable, inkTableBytes, inkTableMs } from '../color/ink-table.ts';
import type { SourceColor } from '../color/source-color.ts';
import { greyToSrgb } from '../color/srgb-profile.ts';
import type { Decoding, Detail, Halvings } from '../formats/coding.ts';
import type { Source } from '../formats/inspection.ts';
import { decoderOf, formatOf } from '../formats/registry.ts';
import { PaddedRows, type Rgba } from '../pixels/padded-rows.ts';
import { endRaster, flattenRow, type Raster, type Region, type Size } from '../pixels/raster.ts';
import { type CodedTarget, reducedSize } from '../pixels/resize-target.ts';
import { ResizedRows } from '../pixels/resized-rows.ts';
import { Resizer } from '../pixels/resizer.ts';
import { changedRows, forEachRowOf, pacedRows, type RowSource } from '../pixels/row-source.ts';
import { freedUnlessDone, Pace, type Slices } from '../slices.ts';
import type { PixelSteps } from './candidates.ts';

/**
 * Additional memory while a picture is reduced: code that is optimized on the way, and views of rows not yet collected.
 * `npm run bench -- --only memory` measures up to 3 MiB in workerd, with variation.
 */
const reducingBytes = 4 * 1024 * 1024;

/** Bytes held by the stages between a reader and a writer, not counting rotation. */
export function stagesBytes(source: Source, steps: PixelSteps): number {
  return reductionBytes(steps) + keptTableBytes(source, steps);
}

function reductionBytes({ target }: PixelSteps): number {
  if (!target) return 0;
  const padding = target.place ? PaddedRows.bufferBytes(target) : 0;
  return ResizedRows.bufferBytes(target.region, reducedSize(target)) + reducingBytes + padding;
}

/** Bytes held while a picture is reduced in several ways, the results included. */
export function reducingPeakBytes(source: Source, reductions: readonly Reduction[]): number {
  const [steps] = reductions;
  const table = steps ? keptTableBytes(source, steps) : 0;
  return reductions.reduce(
    (sum, { target }) => sum + Resizer.bufferBytes(target.region, target),
    reducingBytes + table,
  );
}

/** Bytes of a table that is kept when the stages have ended, because they may begin again. */
export function keptTableBytes({ color }: Source, { toSrgb }: Pick<PixelSteps, 'toSrgb'>): number {
  return toSrgb && color.space === 'cmyk' ? inkTableBytes : 0;
}

/**
 * CPU time of the stages between decoding and encoding, in milliseconds per megapixel, fitted to the measurements of
 * `npm run bench -- --only cpu <folder of images>`.
 */
const costs = {
  /** Filling a raster from rows, or copying one. */
  joining: 1.5,
  reducing: { perSource: 15, perResult: 45 },
  turning: 12,
  flattening: 8,
  /** Mapping grays through a table. */
  grey: 6,
  /** Interpolating in a table of inks. */
  inks: 40,
} as const;

/** CPU time of creating the table from 16-bit to 8-bit samples, in milliseconds. */
const sampleTableMs = 4;

/** CPU time of preparing the pixels of a picture, in milliseconds. */
export function preparingCpu(source: Source, steps: PixelSteps): number {
  const { image, fileBytes } = source;
  const { target } = steps;
  if (target && source.isReduced) {
    return costs.joining * megapixels(target) + finishingMs(steps, image);
  }
  const decoder = decoderOf(image);
  const halvings = target ? decoder.halvingsFor(reductionOf(target)) : 0;
  return decoder.cpuMs(image, fileBytes, halvings) + stagesCpu(source, steps, halvings);
}

/**
 * CPU time of the stages after decoding, in milliseconds.
 * @param halvings number of halvings done by the decoder
 */
export function stagesCpu(source: Source, steps: PixelSteps, halvings: Halvings): number {
  const { image } = source;
  const { target } = steps;
  const flowing = target ? reducingMs(target, halvings) : costs.joining * megapixels(image);
  return convertingMs(source, steps, halvings) + flowing + finishingMs(steps, image);
}

/** CPU time of converting samples, in milliseconds. */
function convertingMs(
  { image, color }: Source,
  { toSrgb }: Pick<PixelSteps, 'toSrgb'>,
  halvings: Halvings,
): number {
  const areInks = toSrgb && color.space === 'cmyk';
  const table = areInks ? inkTableMs : color.nearLinear ? sampleTableMs : 0;
  const perMegapixel = areInks ? costs.inks / 4 ** halvings : toSrgb ? costs.grey : 0;
  return table + perMegapixel * megapixels(image);
}

/** CPU time of a reduction, in milliseconds. */
function reducingMs(target: CodedTarget, halvings: Halvings): number {
  const { perSource, perResult } = costs.reducing;
  const source = (perSource * megapixels(target.region)) / 4 ** halvings;
  return source + perResult * megapixels(reducedSize(target));
}

/** CPU time of the stages after a reduction, in milliseconds. @param size of what has been decoded or reduced */
function finishingMs({ target, turn, background }: PixelSteps, size: Size): number {
  const result = megapixels(target ?? size);
  const padding = target?.place ? costs.joining * result : 0;
  const turning = turn === 1 ? 0 : costs.turning * result;
  return padding + turning + (background ? costs.flattening * result : 0);
}

/** CPU time of reading a picture once and reducing it in several ways, in milliseconds. */
export function reducingCpu(source: Source, reductions: readonly Reduction[]): number {
  const [steps] = reductions;
  if (!steps) return 0;
  const { halvings } = decodingFor(source, steps);
  const decoding = decoderOf(source.image).cpuMs(source.image, source.fileBytes, halvings);
  return reductions.reduce(
    (sum, { target }) => sum + reducingMs(target, halvings),
    decoding + convertingMs(source, steps, halvings),
  );
}

/** A reduction beyond this factor blurs drawn lines, so the picture no longer counts as drawn. */
const maxDrawnReduction = 1.6;

/** The amount of detail in prepared pixels; after a reduction, each pixel has more, and those of margins have none. */
export function preparedDetail({ image, fileBytes }: Source, { target }: PixelSteps): Detail {
  const detail = formatOf(image).read.detail(image, fileBytes);
  const reduction = target ? reductionOf(target) : 1;
  const share = target ? areaOf(reducedSize(target)) / areaOf(target) : 1;
  return {
    density: share * Math.min(1, detail.density * Math.sqrt(reduction)),
    isDrawn: detail.isDrawn && reduction < maxDrawnReduction,
  };
}

function megapixels(size: Size): number {
  return areaOf(size) / 1e6;
}

function areaOf({ width, height }: Size): number {
  return width * height;
}

/** The factor by which width and height are reduced. */
function reductionOf(target: CodedTarget): number {
  const { region } = target;
  const { width, height } = reducedSize(target);
  return Math.min(region.width / width, region.height / height);
}

/** How to decode a picture for these steps: the decoder does the first halvings if that makes no visible difference. */
export function decodingFor(
  source: Source,
  steps: Pick<PixelSteps, 'toSrgb' | 'target'>,
): Decoding {
  const decoder = decoderOf(source.image);
  const { target } = steps;
  const halvings = target ? decoder.halvingsFor(reductionOf(target)) : 0;
  return { halvings, deepSamples: samplesOf(source, steps).deep };
}

/**
 * The rows of a picture after all steps except rotation.
 * @param halvings number of halvings done by the decoder
 */
export function stagedRows(
  rows: RowSource,
  source: Source,
  steps: PixelSteps,
  halvings: Halvings,
): RowSource {
  const { target } = steps;
  const { curves } = samplesOf(source, steps);
  const converted = convertedRows(rows, source, steps);
  if (!target) return finishedRows(converted, steps);
  const region = halvedRegion(target.region, halvings);
  return finishedRows(new ResizedRows(converted, region, reducedSize(target), curves), steps);
}

/** The rows of a decoder as they are reduced. */
function convertedRows(
  rows: RowSource,
  source: Source,
  steps: Pick<PixelSteps, 'toSrgb'>,
): RowSource {
  const { convert } = samplesOf(source, steps);
  return convert ? convert(rows) : rows;
}

/** Rows that have been reduced, on their background and with their margins; they are modified in place. */
export function finishedRows(
  rows: RowSource,
  { target, background, fill = transparent }: PixelSteps,
): RowSource {
  const flat = background ? changedRows(rows, (row) => flattenRow(row, background)) : rows;
  return target?.place ? new PaddedRows(flat, target.place, target, fill) : flat;
}

/** A crop and reduction of a picture whose samples may be converted: what the steps begin with. */
export type Reduction = Pick<PixelSteps, 'toSrgb'> & { readonly target: CodedTarget };

/** The reduction that these steps begin with; null if there is none. */
export function reductionIn({ toSrgb, target }: PixelSteps): Reduction | null {
  return target && { toSrgb, target: { region: target.region, ...reducedSize(target) } };
}

/** Reads the rows of a decoder once, and reduces them in several ways that convert samples alike, as `stagedRows` does. */
export function* reducedRasters(
  rows: RowSource,
  source: Source,
  reductions: readonly [Reduction, ...Reduction[]],
  halvings: Halvings,
): Slices<readonly Raster[]> {
  const [steps] = reductions;
  const { curves } = samplesOf(source, steps);
  const converted = convertedRows(rows, source, steps);
  const resizers = reductions.map(
    ({ target }) => new Resizer(halvedRegion(target.region, halvings), target, curves),
  );
  const perRow = reductions.reduce((sum, one) => sum + reducingMs(one.target, halvings), 0);
  const paced = pacedRows(converted, perRow / rows.height);
  const push = (row: Uint8Array, y: number) => {
    for (const resizer of resizers) resizer.push(row);
    if (y < rows.height - 1) return;
    // Rounding may extend a region beyond the last row.
    for (const resizer of resizers) resizer.push(row);
  };
  const finish = () => resizers.map((resizer) => resizer.finish());
  yield* freedUnlessDone(forEachRowOf(paced, push), () => {
    for (const raster of finish()) endRaster(raster);
  });
  return finish();
}

const transparent: Rgba = [0, 0, 0, 0];

/** A region in the pixels of the halved picture. */
function halvedRegion(region: Region, halvings: Halvings): Region {
  const by = 2 ** -halvings;
  return {
    left: by * region.left,
    top: by * region.top,
    width: by * region.width,
    height: by * region.height,
  };
}

/** How samples are interpreted. */
interface Samples {
  /** Transfer curves for processing in linear light, after samples have been converted. */
  readonly curves: Curves;
  /** Table from 16-bit samples to 8-bit codes; null to round to the nearest. */
  readonly deep: Uint8Array | null;
  /** Converts rows to sRGB, from inks or from a gray profile; null to leave them. */
  readonly convert: ((rows: RowSource) => RowSource) | null;
}

/** How the samples of a picture are interpreted for these steps. */
function samplesOf({ color }: Source, { toSrgb }: Pick<PixelSteps, 'toSrgb'>): Samples {
  const deep = color.nearLinear ? sampleTable(color.curves[0]) : null;
  const convert = toSrgb && !deep ? conversionOf(color) : null;
  return { deep, convert, curves: deep || convert ? srgbCurves : color.curves };
}

function conversionOf(color: SourceColor): Samples['convert'] {
  if (color.space === 'cmyk') return (rows) => convertedInks(rows, color);
  const table = color.profile ? greyToSrgb(color.profile) : null;
  return table && ((rows) => changedRows(rows, (row) => throughTable(row, table)));
}

/** Rows of inks as sRGB. */
function convertedInks(rows: RowSource, color: SourceColor): RowSource {
  const pace = Pace.ofRows(rows.width, costs.inks);
  return {
    width: rows.width,
    height: rows.height,
    start: () => rows.start(),
    *next() {
      const table = yield* inkTable(color);
      yield* pace.after();
      const row = yield* rows.next();
      inksToSrgb(row, table);
      return row;
    },
    end: () => rows.end(),
    release: () => rows.release?.(),
  };
}

/** Maps the color samples of RGBA through a table, and leaves alpha unchanged. */
function throughTable(data: Uint8ClampedArray | Uint8Array, table: Uint8Array): void {
  for (let i = 0; i < data.length; i += 4) {
    for (let channel = i; channel < i + 3; channel += 1) {
      data[channel] = table[data[channel] ?? 0] ?? 0;
    }
  }
}

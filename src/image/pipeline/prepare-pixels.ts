import { type Curves, sampleTable, srgbCurves } from '../color/curves.ts';
import { greyToSrgb } from '../color/srgb-profile.ts';
import type { Detail, Halvings, Source } from '../formats/format.ts';
import { formatOf } from '../formats/registry.ts';
import { turnInPlace, turnScratchBytes } from '../pixels/orientation.ts';
import {
  bytesPerRasterPixel,
  endRaster,
  flatten,
  type Raster,
  type Region,
} from '../pixels/raster.ts';
import type { CodedTarget } from '../pixels/resize-target.ts';
import { Resizer, resized } from '../pixels/resizer.ts';
import type { Refusal } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import type { PixelSteps } from './candidates.ts';
import { decode, decodingPeak, readRows, viewingPeak, viewRaster } from './decode.ts';

/**
 * Taken beside rows and rasters while a picture is reduced: code that gets hot on the way, views of rows
 * that wait for the collector. Measured in workerd by `npm run bench -- --only memory`: up to 3 MiB, and it varies.
 */
const reducingBytes = 4 * 1024 * 1024;

/** Memory that it takes to prepare a picture's pixels, the result included, the file itself not. */
export function preparingPeak({ image, fileBytes }: Source, { target, turn }: PixelSteps): Peak {
  const { width, height } = target ?? image;
  const turning =
    turn === 1 ? 0 : bytesPerRasterPixel * width * height + turnScratchBytes(width, height);
  const { arena, buffers } = target
    ? reducingPeak(image, fileBytes, target)
    : decodingPeak(image, fileBytes);
  return { arena, buffers: Math.max(buffers, turning) };
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
export function preparingCpu(
  { image, fileBytes, color }: Source,
  { target, turn, background, toSrgb }: PixelSteps,
): number {
  const { decoder } = formatOf(image).read;
  const halvings = decoder.kind === 'rows' && target ? decoder.halvingsFor(reductionOf(target)) : 0;
  const decoding =
    decoder.kind === 'rows'
      ? decoder.cpuMs(image, fileBytes, halvings)
      : decoder.cpuMs(image, fileBytes);
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
  return decoding + table + flowing + turning + flattening;
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

/**
 * Takes a picture's pixels through the steps. There is never more than one
 * raster of the source's size beside the arena, and none at all where they are
 * cut or reduced: then rows flow from where the decoder has them.
 */
function preparePixels(file: Uint8Array, source: Source, steps: PixelSteps): Raster | Refusal {
  const raster = steps.target
    ? reduced(file, source, steps.target, samplesOf(source, steps))
    : whole(file, source, samplesOf(source, steps));
  if ('kind' in raster) return raster;
  const upright = turnInPlace(raster, steps.turn);
  if (steps.background) flatten(upright, steps.background);
  return upright;
}

function whole(file: Uint8Array, { image }: Source, { deep, grey }: Samples): Raster | Refusal {
  const raster = decode(file, image, deep);
  if (!('kind' in raster) && grey) throughTable(raster.data, grey);
  return raster;
}

/** Rows are reduced as they flow by; decoding itself does the first halvings where that is not seen. */
function reduced(
  file: Uint8Array,
  { image }: Source,
  target: CodedTarget,
  { curves, deep, grey }: Samples,
): Raster | Refusal {
  const { region } = target;
  const peak = reducingPeak(image, file.length, target);
  const { decoder } = formatOf(image).read;
  switch (decoder.kind) {
    case 'rows': {
      const halvings = decoder.halvingsFor(reductionOf(target));
      const resizer = new Resizer(halvedRegion(region, halvings), target, curves);
      const how = { halvings, deepSamples: deep };
      return reducedRows(resizer, grey, (push) => readRows(decoder, file, image, how, peak, push));
    }
    case 'raster':
      return viewRaster(decoder, file, image, peak, (raster) => {
        if (grey) throughTable(raster.data, grey);
        return resized(raster, region, target, curves);
      });
  }
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

function reducingPeak(image: Source['image'], fileBytes: number, target: CodedTarget): Peak {
  const { arena, buffers } = viewingPeak(image, fileBytes);
  return { arena, buffers: buffers + Resizer.bufferBytes(target.region, target) + reducingBytes };
}

/** The decoded pixels of one picture, for as long as candidates with the same steps follow each other. */
export class PreparedPixels {
  readonly #file: Uint8Array;
  readonly #source: Source;
  readonly #giveUpFile: () => void;
  #hasFile = true;
  #kept: { readonly steps: PixelSteps; readonly raster: Raster } | undefined;

  /** @param giveUpFile gives the file's memory back */
  constructor(file: Uint8Array, source: Source, giveUpFile: () => void) {
    this.#file = file;
    this.#source = source;
    this.#giveUpFile = giveUpFile;
  }

  /** Memory of the raster that is kept. */
  get bytes(): number {
    if (!this.#kept) return 0;
    const { width, height } = this.#kept.raster;
    return bytesPerRasterPixel * width * height;
  }

  /** Whether these pixels are there already. */
  has(steps: PixelSteps): boolean {
    return this.#kept !== undefined && sameSteps(this.#kept.steps, steps);
  }

  /** The picture's pixels after these steps; they are not the caller's to end or to change. */
  through(steps: PixelSteps): Raster | Refusal {
    if (this.#kept && this.has(steps)) return this.#kept.raster;
    this.end();
    const raster = preparePixels(this.#file, this.#source, steps);
    if (!('kind' in raster)) this.#kept = { steps, raster };
    return raster;
  }

  /** Nothing needs the file any more: what there is of pixels is all that there will be. */
  releaseFile(): void {
    this.#hasFile = false;
    this.#giveUpFile();
  }

  /** Whether they could be decoded once more. */
  get areReplaceable(): boolean {
    return this.#hasFile;
  }

  /** Gives the memory back. */
  end(): void {
    if (this.#kept) endRaster(this.#kept.raster);
    this.#kept = undefined;
  }
}

/** Whether both make the same pixels of a picture. */
export function sameSteps(a: PixelSteps, b: PixelSteps): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
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

/**
 * What a resizer makes of rows that flow by.
 * @param grey a table for their samples; null: they stay
 * @param read gives out the rows; null when all went well
 */
function reducedRows(
  resizer: Resizer,
  grey: Uint8Array | null,
  read: (push: (row: Uint8Array) => void) => Refusal | null,
): Raster | Refusal {
  const refusal = read((row) => {
    if (grey) throughTable(row, grey);
    resizer.push(row);
  });
  const result = resizer.finish();
  if (!refusal) return result;
  endRaster(result);
  return refusal;
}

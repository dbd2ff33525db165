import { flatten } from '../alpha.ts';
import { decode, decodingPeak, pngRows, view, viewingPeak } from '../decode.ts';
import type { Peak } from '../memory-ledger.ts';
import { turnInPlace, turnScratchBytes } from '../orientation.ts';
import type { CodedTarget } from '../pixels/resize-target.ts';
import { Resizer, resized } from '../pixels/resizer.ts';
import { bytesPerRasterPixel, type Raster } from '../raster.ts';
import type { Refusal } from '../refusal.ts';
import type { Source } from '../source.ts';
import type { PixelSteps } from './pixel-steps.ts';
import { reducedJpeg } from './reduced-jpeg.ts';
import { reducedRows } from './reduced-rows.ts';
import { type Samples, samplesOf, throughTable } from './samples.ts';

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
 * Takes a picture's pixels through the steps. There is never more than one
 * raster of the source's size beside the arena, and none at all where they are
 * cut or reduced: then rows flow from where the decoder has them.
 */
export function preparePixels(
  file: Uint8Array,
  source: Source,
  steps: PixelSteps,
): Raster | Refusal {
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

function reduced(
  file: Uint8Array,
  { image }: Source,
  target: CodedTarget,
  { curves, deep, grey }: Samples,
): Raster | Refusal {
  const fromRaster = (raster: Raster) => {
    if (grey) throughTable(raster.data, grey);
    return resized(raster, target.region, target, curves);
  };
  const peak = reducingPeak(image, file.length, target);
  switch (image.type) {
    case 'jpeg':
      return reducedJpeg(file, image, target, peak, { curves, grey });
    case 'png':
      return reducedRows(new Resizer(target.region, target, curves), grey, (push) =>
        pngRows(file, image, deep, peak, push),
      );
    case 'webp':
    case 'avif':
      return view(file, image, peak, fromRaster);
  }
}

function reducingPeak(image: Source['image'], fileBytes: number, target: CodedTarget): Peak {
  const { arena, buffers } = viewingPeak(image, fileBytes);
  return { arena, buffers: buffers + Resizer.bufferBytes(target.region, target) + reducingBytes };
}

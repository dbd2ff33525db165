import type { Halvings, Inspection, RasterDecoder, RowDecoder } from '../formats/format.ts';
import { formatOf } from '../formats/registry.ts';
import { bytesPerRasterPixel, type Raster } from '../pixels/raster.ts';
import { type Refusal, refuseImage } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { withinArena } from '../wasm/run-in-arena.ts';

/** Predicted memory of looking at all pixels once, the file itself not counted. */
export function viewingPeak(image: Inspection, fileBytes: number): Peak {
  const { decoder } = formatOf(image).read;
  return {
    arena: decoder.arenaBytes(image, fileBytes),
    buffers: decoder.kind === 'raster' ? decoder.bufferBytes(fileBytes) : 0,
  };
}

/** Computing time of looking at all pixels once, in milliseconds. */
export function viewingCpu(image: Inspection, fileBytes: number): number {
  const { decoder } = formatOf(image).read;
  switch (decoder.kind) {
    case 'rows':
      return decoder.cpuMs(image, fileBytes, decoder.maxHalvings);
    case 'raster':
      return decoder.cpuMs(image, fileBytes);
  }
}

/** Predicted memory of `decode`, its raster included. */
export function decodingPeak(image: Inspection, fileBytes: number): Peak {
  const { arena: needed, buffers } = viewingPeak(image, fileBytes);
  return { arena: needed, buffers: buffers + rasterBytes(image) };
}

/**
 * The pixels as they are coded, or a refusal when the file is damaged, cut
 * short, or not what its header says.
 * @param deepSamples the 8-bit code of each 16-bit sample; null: the nearest
 */
export function decode(
  file: Uint8Array,
  image: Inspection,
  deepSamples: Uint8Array | null = null,
): Raster | Refusal {
  const peak = decodingPeak(image, file.length);
  const { decoder } = formatOf(image).read;
  switch (decoder.kind) {
    case 'rows':
      return joined(image, (push) =>
        readRows(decoder, file, image, { halvings: 0, deepSamples }, peak, push),
      );
    case 'raster':
      return viewRaster(decoder, file, image, peak, ({ data, ...size }) => ({
        ...size,
        data: data.slice(),
      }));
  }
}

/**
 * A raster of rows that flow; nothing is allocated before the first one. What `read` returns but
 * null is why there is none.
 */
function joined(
  image: Inspection,
  read: (push: (row: Uint8Array) => void) => Refusal | null,
): Raster | Refusal {
  const { width, height } = image;
  let data = new Uint8ClampedArray(0);
  let at = 0;
  const refusal = read((row) => {
    if (at === 0) data = new Uint8ClampedArray(rasterBytes(image));
    data.set(row, at);
    at += row.length;
  });
  if (!refusal) return { width, height, data };
  data.buffer.transfer(0);
  return refusal;
}

/**
 * The rows of a picture; null when all went well.
 * @param peak of all that happens meanwhile
 */
export function readRows(
  decoder: RowDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  how: { readonly halvings: Halvings; readonly deepSamples: Uint8Array | null },
  peak: Peak,
  push: (row: Uint8Array) => void,
): Refusal | null {
  return withinArena(peak, () => {
    decoder.read(file, image, how, push);
    return null;
  });
}

/**
 * Lets `look` see a picture's pixels where its codec has left them, without a
 * copy. They are gone when it returns, and it may use no codec.
 * @param peak of all that happens meanwhile
 */
export function viewRaster<Result>(
  decoder: RasterDecoder<Inspection>,
  file: Uint8Array,
  image: Inspection,
  peak: Peak,
  look: (raster: Raster) => Result,
): Result | Refusal {
  return withinArena(peak, () =>
    decoder.view(file, image, (raster) =>
      raster.width === image.width && raster.height === image.height
        ? look(raster)
        : refuseImage('The picture is not of the size that its header states.'),
    ),
  );
}

/** Decodes a picture for nothing but to see that it is sound; null when it is. */
export function verify(file: Uint8Array, image: Inspection): Refusal | null {
  const peak = viewingPeak(image, file.length);
  const { decoder } = formatOf(image).read;
  switch (decoder.kind) {
    case 'rows': {
      const how = { halvings: decoder.maxHalvings, deepSamples: null };
      return readRows(decoder, file, image, how, peak, () => {});
    }
    case 'raster':
      return viewRaster(decoder, file, image, peak, () => null);
  }
}

function rasterBytes({ width, height }: Inspection): number {
  return bytesPerRasterPixel * width * height;
}

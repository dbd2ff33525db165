import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { FrameRows } from '../animation-format.ts';
import {
  chunkContent,
  hasValidChecksum,
  type PngChunk,
  pngChunks,
  pngSignature,
} from './chunks.ts';
import type { PngInspection } from './inspect.ts';
import {
  type CompressedData,
  damagedPng,
  expectRoom,
  expectSound,
  maxExpansion,
  type PngKernel,
  type Pointer,
  runPngKernel,
} from './kernel.ts';
import type { DeepPixelRows } from './pixel-rows.ts';

/**
 * Opens a PNG as rows of pixels, interlaced or not: nothing of the picture's size exists. What it takes
 * has been reserved before: see `pngReadingBytes`.
 *
 * @param image what `inspect` says of `file`
 * @param to8 of 16-bit samples: an 8-bit value for each that color or gray can have; null: the nearest, as for alpha
 * @param memory arena to run in
 * @param place of the image data
 * @throws CodecError if the file is damaged, which may show only when all rows have been given out, or takes more
 *   memory than is available
 */
export function openPngRows<Result>(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  memory: Arena,
  use: (rows: FrameRows) => Result,
  place = defaultImage,
): Result {
  const data = new ImageData(file, place);
  return runPngKernel(
    data,
    (kernel) => {
      const source = new PngSource(kernel, data, image, to8);
      source.begin();
      const at = allocateExpandedRow(kernel, image);
      return use({
        width: image.width,
        height: image.height,
        get isRounded() {
          return kernel.hasRounded() !== 0;
        },
        start: () => source.start(),
        next() {
          source.next();
          source.expand(at);
          return kernel.bytes.subarray(at, at + bytesPerRasterPixel * image.width);
        },
        end: () => source.end(),
      });
    },
    { memory },
  );
}

/**
 * The rows of a PNG file from the top, interlaced or not, which is inflated anew for each run.
 *
 * The checksums must be right, and the data inflate to exactly the rows that the header states, which may
 * show only at their end.
 */
export class PngSource implements DeepPixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #data: ImageData;
  readonly #image: PngInspection;
  readonly #to8: Uint8Array | null;

  /**
   * @param data those that the kernel was linked with
   * @param image what `inspect` says of the file
   * @param to8 of 16-bit samples: an 8-bit value for each that color or gray can have; null: the nearest
   */
  constructor(
    kernel: PngKernel,
    data: ImageData,
    image: PngInspection,
    to8: Uint8Array | null = null,
  ) {
    this.#kernel = kernel;
    this.#data = data;
    this.#image = image;
    this.#to8 = to8;
    this.width = image.width;
    this.height = image.height;
  }

  /** @throws CodecError if there is no room, or the file is too short for the rows that it states */
  begin(): void {
    const kernel = this.#kernel;
    setPicture(kernel, this.#image);
    if (kernel.filteredBytes() > maxExpansion * this.#data.file.length) {
      throw damagedPng('the file is too short for its rows');
    }
    const to8 = this.#image.bitDepth === 16 ? this.#to8 : null;
    allocateSource(kernel, this.#image, to8 !== null);
    this.#setColors();
    if (to8) kernel.bytes.set(to8, kernel.deepTable());
  }

  /** @throws CodecError if the file is damaged */
  start(): void {
    expectSound(this.#kernel.startReading());
  }

  /** @throws CodecError if the file is damaged */
  next(): void {
    expectSound(this.#kernel.readRow());
  }

  expand(to: Pointer): void {
    this.#kernel.expandRow(to);
  }

  expandDeep(to: Pointer): void {
    this.#kernel.expandDeepRow(to);
  }

  /** @throws CodecError if something follows which should not */
  end(): void {
    expectSound(this.#kernel.endReading());
    this.#data.checkRest();
  }

  #setColors(): void {
    const { colorType } = this.#image;
    const { palette, transparency } = pngColors(this.#data.file);
    if (colorType === 3) {
      this.#fillPalette(palette, transparency);
    } else if (colorType === 0 || colorType === 2) {
      const [red, green = red, blue = red] = samplesOf(transparency);
      if (red !== undefined && green !== undefined && blue !== undefined) {
        this.#kernel.setKey(red, green, blue);
      }
    }
  }

  /** Indices beyond PLTE are opaque black, as in libpng. */
  #fillPalette(palette: Uint8Array, transparency: Uint8Array): void {
    const at = this.#kernel.palettePixels();
    const table = this.#kernel.bytes.subarray(at, at + 4 * 256);
    for (let index = 0; index < 256; index += 1) {
      table.set(palette.subarray(3 * index, 3 * index + 3), 4 * index);
      table[4 * index + 3] = transparency[index] ?? 255;
    }
  }
}

/** What the rows of a picture depend on. */
export type PngRows = Pick<
  PngInspection,
  'width' | 'height' | 'colorType' | 'bitDepth' | 'interlaced'
>;

/** Tells the kernel what the rows of a picture are. */
export function setPicture(kernel: PngKernel, image: PngRows): void {
  const { width, height, colorType, bitDepth, interlaced } = image;
  kernel.setPicture(width, height, colorType, bitDepth, interlaced);
}

/**
 * Allocates what reading rows takes.
 * @param hasTable there is one from samples of 16 bits to 8
 * @throws CodecError if there is no room
 */
export function allocateSource(kernel: PngKernel, image: PngRows, hasTable: boolean): void {
  setPicture(kernel, image);
  expectRoom(kernel.allocateReader());
  if (hasTable) expectRoom(kernel.deepTable());
}

/**
 * Allocates a row of RGBA, which the kernel writes in up to four pixels at once.
 * @throws CodecError if there is no room
 */
export function allocateExpandedRow(kernel: PngKernel, { width }: Pick<PngRows, 'width'>): Pointer {
  const at = kernel.allocate(bytesPerRasterPixel * (width + 3));
  expectRoom(at);
  return at;
}

/** The 16-bit samples of tRNS. */
function samplesOf(bytes: Uint8Array): number[] {
  const samples: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    samples.push(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0));
  }
  return samples;
}

/** Where a cursor is in the file, as offsets. */
interface Place {
  /** The next byte of the chunk that it is in, and that chunk's end. */
  at: number;
  end: number;
  /** Where the chunk behind that begins. */
  next: number;
}

/** Where the data of a picture are: in all IDAT chunks, or in those of fdAT from one on up to the next frame. */
export interface DataPlace {
  readonly type: 'IDAT' | 'fdAT';
  /** Where a chunk begins: the first of them, or one before. */
  readonly from: number;
}

/**
 * The data of a picture's chunks, which together are one zlib stream (PNG third edition §11.2.3, §11.3.6.3). Each
 * chunk's checksum is looked at before its data are given out, and once only.
 */
export class ImageData implements CompressedData {
  readonly file: Uint8Array;
  readonly #place: DataPlace;
  readonly #places: Place[] = [];
  /** Up to here the checksums are right. */
  #checked = 0;

  constructor(file: Uint8Array, place = defaultImage) {
    this.file = file;
    this.#place = place;
  }

  /** @throws CodecError on a wrong checksum, or when a chunk goes beyond the file */
  read(cursor: number, target: Uint8Array): number {
    const place = this.#placeOf(cursor);
    while (place.at === place.end && this.#enterNext(place));
    const part = this.file.subarray(place.at, Math.min(place.end, place.at + target.length));
    target.set(part);
    place.at += part.length;
    return part.length;
  }

  fork(from: number, to: number): void {
    this.#places[to] = from === to ? this.#beginning() : { ...this.#placeOf(from) };
  }

  /**
   * Looks at the checksums of all chunks that have not been needed: those behind the end of the stream.
   * @throws CodecError as `read` does
   */
  checkRest(): void {
    const place = { at: 0, end: 0, next: Math.max(this.#place.from, this.#checked) };
    while (this.#enterNext(place));
  }

  #beginning(): Place {
    return { at: 0, end: 0, next: this.#place.from };
  }

  #placeOf(cursor: number): Place {
    const place = this.#places[cursor] ?? this.#beginning();
    this.#places[cursor] = place;
    return place;
  }

  /** Goes on to the next chunk of image data; false if there is none. */
  #enterNext(place: Place): boolean {
    for (const chunk of soundChunks(this.file, place.next)) {
      const { type } = this.#place;
      if (type === 'fdAT' && chunk.type === 'fcTL') return false;
      if (chunk.type !== type) continue;
      const { end, next } = chunk;
      if (next > this.#checked) {
        if (!hasValidChecksum(this.file, chunk)) {
          throw damagedPng('the checksum of image data is wrong');
        }
        this.#checked = next;
      }
      Object.assign(place, { at: Math.min(dataStart(chunk), end), end, next });
      return true;
    }
    return false;
  }
}

/** @throws CodecError at a chunk that the end of the file cuts */
export function* soundChunks(file: Uint8Array, from = firstChunk): Generator<PngChunk> {
  for (const chunk of pngChunks(file, from)) {
    if (!chunk.isWhole) throw damagedPng('a chunk is cut short');
    yield chunk;
  }
}

/** Where the first chunk begins. */
const firstChunk = pngSignature.length;

/** That of a still picture. */
export const defaultImage: DataPlace = { type: 'IDAT', from: firstChunk };

/** Data of frames begin with a number. */
function dataStart({ type, start }: PngChunk): number {
  return type === 'fdAT' ? start + 4 : start;
}

/** Views of the file: the data of the first PLTE and tRNS before the image data, empty without one. */
interface PngPalette {
  /** Three bytes per entry, or nothing to do with the pixels where they are not indices. */
  readonly palette: Uint8Array;
  /** Alpha per palette entry, or one color of 16-bit samples that is transparent. */
  readonly transparency: Uint8Array;
}

/**
 * Reads what samples stand for (PNG third edition §11.2.2, §11.3.1.1). `inspectPng` has checked the
 * lengths and checksums. Of two tRNS chunks the first counts, as in libpng; behind image data none does.
 *
 * @throws CodecError if a chunk goes beyond the file
 */
export function pngColors(file: Uint8Array): PngPalette {
  // once for all frames of an animation: a hostile file has a million chunks before them
  const known = knownColors.get(file);
  if (known) return known;
  const none = file.subarray(0, 0);
  const colors = { palette: none, transparency: none };
  for (const chunk of soundChunks(file, firstChunk)) {
    if (chunk.type === 'IDAT') break;
    if (chunk.type === 'PLTE' && colors.palette.length === 0) {
      colors.palette = chunkContent(file, chunk);
    } else if (chunk.type === 'tRNS' && colors.transparency.length === 0) {
      colors.transparency = chunkContent(file, chunk);
    }
  }
  knownColors.set(file, colors);
  return colors;
}

const knownColors = new WeakMap<Uint8Array, PngPalette>();

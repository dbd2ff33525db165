import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { FrameRows } from '../animation-format.ts';
import {
  chunkContent,
  hasValidChecksum,
  isUsableChunk,
  type PngChunk,
  pngChunks,
  pngSignature,
} from './chunks.ts';
import { type PngInspection, transparencyBytes } from './inspect.ts';
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
 * Opens a PNG, interlaced or not, as rows of pixels, without holding anything of the picture's size. The memory must
 * have been reserved: see `pngReadingBytes`.
 *
 * @param image result of `inspect` for `file`
 * @param to8 8-bit value of each 16-bit color or gray sample; null: the nearest, as always for alpha
 * @param memory arena to run in
 * @param place location of the image data
 * @throws CodecError if the file is damaged, which may only show after the last row, or memory runs out
 */
export function* openPngRows<Result>(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  memory: Arena,
  use: (rows: FrameRows) => Slices<Result>,
  place = defaultImage,
): Slices<Result> {
  const data = new ImageData(file, place);
  return yield* runPngKernel(
    data,
    function* (kernel) {
      const source = new PngSource(kernel, data, image, to8);
      source.begin();
      const at = allocateExpandedRow(kernel, image);
      return yield* use({
        width: image.width,
        height: image.height,
        get isRounded() {
          return kernel.hasRounded() !== 0;
        },
        start: () => source.start(),
        *next() {
          yield* source.next();
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
 * The rows of a PNG file from top to bottom, interlaced or not; the file is inflated anew for each run.
 *
 * The data must inflate to all rows that the header states. As in browsers, nothing has to follow them. But one of the
 * checksums has to vouch for them, that of the stream or those of all chunks, which only shows at their end.
 */
export class PngSource implements DeepPixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #data: ImageData;
  readonly #image: PngInspection;
  readonly #to8: Uint8Array | null;

  /**
   * @param data the data that the kernel was linked with
   * @param image result of `inspect` for the file
   * @param to8 8-bit value of each 16-bit color or gray sample; null: the nearest
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

  /** @throws CodecError if memory runs out, or the file is too short for the rows that it states */
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
  *start(): Slices<void> {
    expectSound(this.#kernel.startReading());
  }

  /** @throws CodecError if the file is damaged */
  *next(): Slices<void> {
    expectSound(this.#kernel.readRow());
  }

  expand(to: Pointer): void {
    this.#kernel.expandRow(to);
  }

  expandDeep(to: Pointer): void {
    this.#kernel.expandDeepRow(to);
  }

  /** @throws CodecError if no checksum vouches for the rows */
  *end(): Slices<void> {
    if (this.#data.isDoubtful) expectSound(this.#kernel.endReading());
  }

  #setColors(): void {
    const { colorType } = this.#image;
    const { palette, transparency } = pngColors(this.#data.file, this.#image);
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

/** The properties of a picture that determine its rows. */
export type PngRows = Pick<
  PngInspection,
  'width' | 'height' | 'colorType' | 'bitDepth' | 'interlaced'
>;

/** Passes the properties of a picture's rows to the kernel. */
export function setPicture(kernel: PngKernel, image: PngRows): void {
  const { width, height, colorType, bitDepth, interlaced } = image;
  kernel.setPicture(width, height, colorType, bitDepth, interlaced);
}

/**
 * Allocates the memory to read rows.
 * @param hasTable whether there is a table from 16-bit to 8-bit samples
 * @throws CodecError if memory runs out
 */
export function allocateSource(kernel: PngKernel, image: PngRows, hasTable: boolean): void {
  setPicture(kernel, image);
  expectRoom(kernel.allocateReader());
  if (hasTable) expectRoom(kernel.deepTable());
}

/**
 * Allocates a row of RGBA, which the kernel writes in groups of up to four pixels.
 * @throws CodecError if memory runs out
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

/** The position of a cursor, as file offsets. */
interface Place {
  /** The next byte of the current chunk, and the end of its data. */
  at: number;
  end: number;
  /** Start of the chunk after it. */
  next: number;
}

/** The location of a picture's data: all IDAT chunks, or the fdAT chunks from a position up to the next frame. */
export interface DataPlace {
  readonly type: 'IDAT' | 'fdAT';
  /** Start of a chunk: the first data chunk, or an earlier one. */
  readonly from: number;
}

/**
 * The data of a picture's chunks, which together form a zlib stream (PNG third edition §11.2.3, §11.3.6.3). Each
 * chunk's checksum is verified once, when its data are first needed.
 */
export class ImageData implements CompressedData {
  readonly file: Uint8Array;
  readonly #place: DataPlace;
  readonly #places: Place[] = [];
  /** File offset up to which the checksums have been verified. */
  #checked = 0;
  #isDoubtful = false;

  constructor(file: Uint8Array, place = defaultImage) {
    this.file = file;
    this.#place = place;
  }

  /** Whether a checksum was wrong. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** @throws CodecError if a chunk of an animation exceeds the file */
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

  #beginning(): Place {
    return { at: 0, end: 0, next: this.#place.from };
  }

  #placeOf(cursor: number): Place {
    const place = this.#places[cursor] ?? this.#beginning();
    this.#places[cursor] = place;
    return place;
  }

  /** Moves to the next chunk of image data; false if there is none. */
  #enterNext(place: Place): boolean {
    for (const chunk of soundChunks(this.file, place.next)) {
      const { type } = this.#place;
      if (type === 'fdAT' && chunk.type === 'fcTL') return false;
      if (chunk.type !== type) continue;
      const { end, next } = chunk;
      if (next > this.#checked) {
        this.#isDoubtful ||= !hasValidChecksum(this.file, chunk);
        this.#checked = next;
      }
      Object.assign(place, { at: Math.min(dataStart(chunk), end), end, next });
      return true;
    }
    return false;
  }
}

/** @throws CodecError at a chunk that the end of the file truncates, except image data */
export function* soundChunks(file: Uint8Array, from = firstChunk): Generator<PngChunk> {
  for (const chunk of pngChunks(file, from)) {
    if (!isUsableChunk(chunk)) throw damagedPng('a chunk is cut short');
    yield chunk;
  }
}

/** File offset of the first chunk. */
const firstChunk = pngSignature.length;

/** The data location of a still picture. */
export const defaultImage: DataPlace = { type: 'IDAT', from: firstChunk };

/** The data of fdAT begin with a sequence number. */
function dataStart({ type, start }: PngChunk): number {
  return type === 'fdAT' ? start + 4 : start;
}

/** Views of the file: the data of the first PLTE and tRNS before the image data, empty if missing. */
interface PngPalette {
  /** Three bytes per entry; irrelevant if pixels are not indices. */
  readonly palette: Uint8Array;
  /** Alpha per palette entry, or the transparent color as 16-bit samples. */
  readonly transparency: Uint8Array;
}

/**
 * Reads the palette and the transparent color (PNG third edition §11.2.2, §11.3.1.1). The first of several tRNS chunks
 * that apply counts, as in libpng; those after image data are ignored.
 *
 * @param image result of `inspect` for `file`
 * @throws CodecError if a chunk exceeds the file
 */
export function pngColors(
  file: Uint8Array,
  {
    bitDepth,
    colorType,
    paletteSize,
  }: Pick<PngInspection, 'bitDepth' | 'colorType' | 'paletteSize'>,
): PngPalette {
  // Read once for all frames of an animation: a hostile file may have a million chunks before them.
  const known = knownColors.get(file);
  if (known) return known;
  const none = file.subarray(0, 0);
  const colors = { palette: none, transparency: none };
  for (const chunk of soundChunks(file, firstChunk)) {
    if (chunk.type === 'IDAT') break;
    if (chunk.type === 'PLTE' && colors.palette.length === 0) {
      const content = chunkContent(file, chunk);
      colors.palette = content.subarray(0, content.length - (content.length % 3));
    } else if (chunk.type === 'tRNS' && colors.transparency.length === 0) {
      const known = {
        bitDepth,
        colorType,
        paletteSize: colors.palette.length > 0 ? paletteSize : 0,
      };
      const length = transparencyBytes(file, chunk, known);
      colors.transparency = chunkContent(file, chunk).subarray(0, length);
    }
  }
  knownColors.set(file, colors);
  return colors;
}

const knownColors = new WeakMap<Uint8Array, PngPalette>();

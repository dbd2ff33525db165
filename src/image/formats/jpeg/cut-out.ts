import { freeMemory } from '../../container/workspace.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import type { Region } from '../../pixels/raster.ts';
import type { Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { CodecError } from '../../wasm/codec.ts';
import { type CodedPicture, CodedRows, type CoefficientRows, codePicture } from './code-picture.ts';
import { SourceRows } from './decode.ts';
import type { JpegInspection } from './inspect.ts';
import {
  expectRoom,
  type JpegKernel,
  runJpegKernel,
  setFrameGeometry,
  setQuantization,
  sourceFrame,
} from './kernel.ts';
import { allocateReading, jpegCuttingBytes } from './memory.ts';
import { jpegHead } from './rewrap.ts';
import { type Sampling, samplingOf } from './sampling.ts';
import { scansOf } from './scan-list.ts';

/** Number of coefficients in a block, and their size in bytes. */
const blockLength = 64;
const blockBytes = 128;

/**
 * Creates a JPEG of regions of another one, stacked vertically, with unchanged coefficients, on which recoding of the
 * whole can be tried.
 *
 * @param parts regions of equal size inside the picture, aligned to MCUs except for the width at its right edge
 * @param slotHeight rows from one part to the next, a multiple of the MCU height if there are several
 * @returns null if a part does not begin at an MCU
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* cutOutJpeg(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  parts: readonly Region[],
  slotHeight: number,
): Slices<Uint8Array<ArrayBuffer> | null> {
  const sampling = samplingOf(image);
  const mcu = {
    width: 8 * Math.max(...sampling.map(({ horizontal }) => horizontal)),
    height: 8 * Math.max(...sampling.map(({ vertical }) => vertical)),
  };
  const isAligned = parts.every(
    ({ left, top }) => left % mcu.width === 0 && top % mcu.height === 0,
  );
  if (!isAligned || (parts.length > 1 && slotHeight % mcu.height !== 0)) return null;
  const [first] = parts;
  if (!first) return null;
  const list = scansOf(file, image);
  const size = {
    width: first.width,
    height: parts.length > 1 ? slotHeight * parts.length : first.height,
  };
  arena.reserve(Math.min(arenaCeiling, jpegCuttingBytes(image, file.length, size)));
  const cut = new CutOut(size, sampling, mcu);
  try {
    yield* runJpegKernel(file, function* (kernel) {
      const rows = new SourceRows(kernel, image, list);
      yield* rows.begin();
      const end = Math.max(...parts.map(({ top, height }) => top + height));
      for (let m = 0; m * mcu.height < end; m += 1) {
        yield* rows.read(m);
        for (const [i, part] of parts.entries()) cut.take(kernel, m, part, i * slotHeight);
      }
    });
    cut.fillUp(Math.ceil(first.height / mcu.height), Math.ceil(slotHeight / mcu.height));
    const ids = image.components.map(({ id }) => id);
    const picture = { ...size, sampling, ids, isYcc: image.colorSpace === 'ycbcr' };
    const head = jpegHead(file, { icc: null, metadata: noMetadata });
    return yield* codedParts(cut, picture, list.quantization, head);
  } finally {
    cut.end();
  }
}

function* codedParts(
  cut: CutOut,
  picture: CodedPicture,
  quantization: readonly Uint16Array[],
  head: Uint8Array,
): Slices<Uint8Array<ArrayBuffer>> {
  return yield* runJpegKernel(new Uint8Array(0), function* (kernel) {
    const rows = new CutOutRows(kernel, cut, quantization, picture);
    const coded = yield* codePicture(kernel, new CodedRows(kernel, rows, picture, null), picture, {
      head,
      maxBytes: Number.MAX_SAFE_INTEGER,
      mayStream: false,
    });
    if (coded.kind !== 'coded') throw new CodecError('jpeg kernel', false, coded.kind);
    return coded.bytes.slice();
  });
}

/** The coefficients of the new picture by component, in rows of blocks. */
class CutOut {
  readonly mcusDown: number;
  readonly #mcusAcross: number;
  readonly #mcu: { readonly width: number; readonly height: number };
  readonly #sampling: readonly Sampling[];
  readonly #planes: readonly Int16Array<ArrayBuffer>[];

  constructor(
    { width, height }: { readonly width: number; readonly height: number },
    sampling: readonly Sampling[],
    mcu: { readonly width: number; readonly height: number },
  ) {
    this.#mcu = mcu;
    this.#sampling = sampling;
    this.#mcusAcross = Math.ceil(width / mcu.width);
    this.mcusDown = Math.ceil(height / mcu.height);
    this.#planes = sampling.map(
      ({ horizontal, vertical }) =>
        new Int16Array(blockLength * horizontal * vertical * this.#mcusAcross * this.mcusDown),
    );
  }

  /** Copies the section of a part in row `m` of the source's MCUs; the part begins at row `to` of the new picture. */
  take(kernel: JpegKernel, m: number, { left, top, height }: Region, to: number): void {
    const row = m - top / this.#mcu.height;
    if (row < 0 || row >= Math.ceil(height / this.#mcu.height)) return;
    const first = left / this.#mcu.width;
    for (const [c, { horizontal, vertical }] of this.#sampling.entries()) {
      const across = Math.min(
        horizontal * this.#mcusAcross,
        kernel.blocksAcross(sourceFrame, c) - horizontal * first,
      );
      for (let y = 0; y < vertical; y += 1) {
        const from = kernel.blockRow(sourceFrame, c, y) + blockBytes * horizontal * first;
        const blocks = new Int16Array(kernel.bytes.buffer, from, blockLength * across);
        this.#planes[c]?.set(blocks, this.#rowAt(c, to / this.#mcu.height + row, y));
      }
    }
  }

  /**
   * Repeats the last row of blocks of each part up to the beginning of the next one.
   * @param rows number of rows of MCUs in a part
   * @param slotRows number of rows of MCUs from one part to the next
   */
  fillUp(rows: number, slotRows: number): void {
    for (const [c, { horizontal, vertical }] of this.#sampling.entries()) {
      const length = blockLength * horizontal * this.#mcusAcross;
      for (let slot = 0; slot < this.mcusDown; slot += slotRows) {
        const last = this.#rowAt(c, slot + rows - 1, vertical - 1);
        const end = Math.min(slot + slotRows, this.mcusDown);
        for (let to = last + length; to < this.#rowAt(c, end, 0); to += length) {
          this.#planes[c]?.copyWithin(to, last, last + length);
        }
      }
    }
  }

  /** Frees the memory. */
  end(): void {
    for (const plane of this.#planes) freeMemory(plane);
  }

  /** Copies row `m` of MCUs to the kernel's source rows. */
  put(kernel: JpegKernel, m: number): void {
    for (const [c, { horizontal, vertical }] of this.#sampling.entries()) {
      const length = blockLength * horizontal * this.#mcusAcross;
      for (let y = 0; y < vertical; y += 1) {
        const from = this.#rowAt(c, m, y);
        const target = new Int16Array(
          kernel.bytes.buffer,
          kernel.blockRow(sourceFrame, c, y),
          length,
        );
        target.set(this.#planes[c]?.subarray(from, from + length) ?? []);
      }
    }
  }

  #rowAt(c: number, m: number, y: number): number {
    const { horizontal = 1, vertical = 1 } = this.#sampling[c] ?? {};
    return blockLength * horizontal * this.#mcusAcross * (vertical * m + y);
  }
}

class CutOutRows implements CoefficientRows {
  readonly quantization: readonly Uint16Array[];
  readonly areGathered = false;
  readonly #kernel: JpegKernel;
  readonly #cut: CutOut;

  constructor(
    kernel: JpegKernel,
    cut: CutOut,
    quantization: readonly Uint16Array[],
    shape: Parameters<typeof setFrameGeometry>[2],
  ) {
    this.#kernel = kernel;
    this.#cut = cut;
    this.quantization = quantization;
    setFrameGeometry(kernel, sourceFrame, shape);
    setQuantization(kernel, sourceFrame, quantization);
  }

  *begin(): Slices<void> {
    allocateReading(this.#kernel, 1, false);
  }

  *rewind(): Slices<void> {}

  *read(m: number): Slices<void> {
    expectRoom(m < this.#cut.mcusDown ? 1 : 0);
    this.#cut.put(this.#kernel, m);
  }
}

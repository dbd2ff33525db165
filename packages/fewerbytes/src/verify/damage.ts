import { availableParallelism } from 'node:os';
import { readOptions, resizeTarget } from '../../../../src/image/engine.ts';
import { ImageError, inspect } from '../engine/index.ts';
import { failureOf, Threads } from '../files/threads.ts';
import { type MediaType, typeOfBytes } from '../images.ts';
import type { OptimizeOptions } from '../options.ts';
import { endsWithImage, sizeOfJxl } from './endings.ts';

/** What the service says about a result. */
export interface Stated {
  readonly type: MediaType;
  /** Dimensions of the upright image in pixels. */
  readonly width: number;
  readonly height: number;
}

/** An image as it was sent, with the options of its query. */
export interface Sent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: OptimizeOptions;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Why a result may not replace anything, as an end of a sentence; null if it is a whole file of the stated type, with
 * the dimensions that the image that was sent gets by these options. The engine decodes it. Bytes that have become
 * those of another picture of this size are not found.
 * @throws OptimizeError if the engine fails; the reason of the signal if that is aborted
 */
export async function damageIn(
  bytes: Uint8Array<ArrayBuffer>,
  stated: Stated,
  sent: Sent,
  signal?: AbortSignal,
): Promise<string | null> {
  const { type } = stated;
  if (typeOfBytes(bytes) !== type) return `it is no ${type}`;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!endsWithImage(file, type)) return incomplete;
  try {
    const before = await inspect(sent.bytes);
    const expected: Size = resizeTarget(before, readOptions(sent.options)) ?? before;
    // Engines only write JPEG XL. No file is replaced by one: it lies beside the JPEG that it was made from.
    const isRead = type !== 'image/jxl';
    const made = isRead ? await inspect(bytes) : { ...sizeOfJxl(file), frames: 1 };
    if (!isOf(expected, made) || !isOf(expected, stated)) {
      return `it does not have ${expected.width} × ${expected.height} pixels`;
    }
    if (made.frames > 1 && before.frames === 1) return 'it is an animation';
    if (isRead) await decode(bytes, signal);
    return null;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ImageError || error instanceof RangeError) return incomplete;
    throw failureOf(error);
  }
}

const incomplete = 'it is damaged or incomplete';

function isOf(expected: Size, { width, height }: Size): boolean {
  return width === expected.width && height === expected.height;
}

/** Decodes all pixels of all frames, and encodes next to nothing: a fraction of the work of the service. */
const toOnePixel: OptimizeOptions = { width: 1, height: 1, quality: 1 };

let threads: Threads | null = null;

/**
 * Has the engine read an image to its end.
 * @throws ImageError if it is damaged
 */
async function decode(image: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  // Without work, they keep no process alive.
  threads ??= new Threads(availableParallelism());
  const isReducible = await threads.plan(image, toOnePixel).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ImageError) return false;
      throw error;
    },
  );
  // The light of HDR and 16 bits keep their size, so that all of their pixels are encoded again. The frames of an
  // animated AVIF are not decoded at all: services send them back as they were.
  await threads.optimize(image, isReducible ? toOnePixel : {}, signal ? { signal } : {});
}

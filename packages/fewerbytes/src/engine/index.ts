import {
  type Budgets,
  type Cost,
  type Description,
  createEngine as engineWithin,
  type GivenOptions,
  type Optimized,
  type Run,
  readOptions,
  type Work,
} from '../../../../src/image/engine.ts';
import {
  automaticTypes,
  factsOf,
  type ImageType,
  inputFacts,
  isMeantByWildcard,
  isOutputType,
} from '../../../../src/image/formats/facts.ts';
import { bytesOf, type ImageSource } from '../images.ts';
import { loading, withCode } from './loading.ts';
import { loadCropping, loadFormat, loadHashing, loadXml } from './stand-ins.ts';

// The engine for Node and browsers. It touches neither network nor files, but for its own code: the kernels (`.wasm`) and
// the code of a format are loaded when a picture first needs them.

export { ImageError, type ImageErrorCode } from '../../../../src/image/image-error.ts';
export { LoadingError } from '../loading-error.ts';
export type { Budgets, Cost, Description, ImageSource, Optimized, Run };
export type OptimizeOptions = GivenOptions;

/** What is known about the work on an image before it begins. */
export type Plan = Pick<Work, 'inputType' | 'inputBytes' | 'inputSize' | 'cpuMs'> & {
  /** Predicted peak memory in bytes, including the image. */
  readonly memory: number;
};

/** Optimizes images within budgets of its own; one at a time, in slices between which other things can happen. */
export interface Engine {
  /**
   * Makes an image smaller. The same image, options and budgets give the same bytes everywhere.
   * @param image must stay unchanged meanwhile
   * @throws ImageError; LoadingError; TypeError if it is no image at all; the reason of the signal if that ends it
   */
  optimize(image: ImageSource, options?: OptimizeOptions, run?: Run): Promise<Optimized>;
  /**
   * Reads the headers of an image.
   * @throws ImageError if it is none of a supported type
   */
  inspect(image: ImageSource): Promise<Description>;
  /**
   * Predicts what the work on an image will take. Nothing is decoded.
   * @throws ImageError if it would be refused
   */
  plan(image: ImageSource, options?: OptimizeOptions): Promise<Plan>;
  /**
   * Predicts what the work on an image of this length will take, before any of it is known.
   * @param bytes null: unknown
   * @throws TypeError if it is no length
   */
  predict(bytes: number | null, options?: OptimizeOptions): Promise<Cost>;
}

/**
 * An engine with these budgets: memory in bytes, at least 96 MiB, and milliseconds of CPU time for an image. Without
 * them, those of the service, which give the same bytes as the service. All engines of a thread take turns.
 * @throws RangeError if there is less memory, or no time
 */
export function createEngine(budgets: Partial<Budgets> = {}): Engine {
  const engine = engineWithin(budgets);
  return {
    async optimize(image, options = {}, run = {}) {
      const given = readOptions(options);
      const file = await bytesOf(image);
      const rising = risingOnly(run);
      await loadCode(file, options);
      return withCode(() => engine.optimize(file, given, rising));
    },
    async inspect(image) {
      const file = await bytesOf(image);
      await loadCode(file);
      return withCode(() => engine.inspect(file));
    },
    async plan(image, options = {}) {
      const given = readOptions(options);
      const file = await bytesOf(image);
      await loadCode(file, options);
      return withCode(() => {
        const { inputType, inputBytes, inputSize, cpuMs, totalPeak } = engine.plan(file, given);
        const memory = totalPeak(file.length);
        return { inputType, inputBytes, inputSize, cpuMs, memory };
      });
    },
    async predict(bytes, options = {}) {
      if (bytes !== null && !(Number.isInteger(bytes) && bytes >= 0)) {
        throw new TypeError('bytes must be a whole number, 0 or more, or null');
      }
      const given = readOptions(options);
      return withCode(() => engine.predict(bytes, given));
    },
  };
}

export const { optimize, inspect, plan, predict } = createEngine();

/** The same, but progress that has been reported is not reported again when work is repeated. */
function risingOnly(run: Run): Run {
  if (!run.onProgress) return run;
  let told = 0;
  return {
    ...run,
    onProgress(fraction) {
      if (fraction <= told) return;
      told = fraction;
      run.onProgress?.(fraction);
    },
  };
}

/** Loads what an image will probably need, at the same time. What is missing then is loaded when it is needed. */
async function loadCode(file: Uint8Array, options?: OptimizeOptions): Promise<void> {
  const input = inputFacts.find(({ recognizes }) => recognizes(file))?.type;
  if (!input) return;
  const outputs = options ? outputsOf(input, options) : [];
  const types = new Set<ImageType>([input, ...outputs]);
  const others = [
    ...(hasXmp(file) ? [loadXml()] : []),
    ...(options?.placeholder === 'thumbhash' ? [loadHashing()] : []),
    ...(options?.position === 'auto' ? [loadCropping()] : []),
  ];
  const formats = Array.from(types, (type) =>
    loadFormat(type, { isWritten: outputs.includes(type) }),
  );
  await loading(Promise.all([...formats, ...others]));
}

/** The types that a picture may become. */
function outputsOf(input: ImageType, { format = 'keep', among }: OptimizeOptions): ImageType[] {
  const own = isOutputType(input) ? [input] : [];
  if (format === 'keep') return own;
  if (format !== 'auto') return [format];
  if (among) return [...among];
  return [...own, ...automaticTypes.filter((type) => isMeantByWildcard(factsOf(type)))];
}

/** How XMP begins in each format: it lies among the headers of most, and at the end of a WebP. */
const xmpMarks = ['ns.adobe.com/xap', 'XML:com.adobe.xmp', 'rdf+xml', 'xpacket', 'XMP '];
const searchedBytes = 2 ** 18;

function hasXmp(file: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1');
  const ends = [file.subarray(0, searchedBytes), file.subarray(-searchedBytes)];
  return ends.some((part) => {
    const text = decoder.decode(part);
    return xmpMarks.some((mark) => text.includes(mark));
  });
}

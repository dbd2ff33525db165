import {
  type Budgets,
  type Cost,
  type Description,
  createEngine as engineWithin,
  type GivenOptions,
  type GivenSetOptions,
  ImageError,
  type NamedResult,
  type Optimized,
  type Run,
  readOptions,
  readSetOptions,
  type SetOutcome,
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

export type { ImageErrorCode } from '../../../../src/image/image-error.ts';
export { LoadingError } from '../loading-error.ts';
export type { Budgets, Cost, Description, ImageSource, Optimized, Run };
export { ImageError };
export type OptimizeOptions = GivenOptions;
export type SetOptions = GivenSetOptions;

/** A result of a set. */
export interface SetResult extends Optimized {
  /** What names it: one of the widths that were asked for, or that of the image in their place. In pixels. */
  readonly boxWidth: number;
}

/** A result of a set that could not be made; its `width` is what would name it. */
export interface FailedResult extends NamedResult {
  readonly error: ImageError;
}

/** Several results of an image. */
export interface ImageSet {
  /** Size of the image in pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** The ThumbHash of the widest result in base64; null if it was not asked for, or could not be made. */
  readonly placeholder: string | null;
  /** At least one; by width, and then in the order of the formats. */
  readonly results: readonly SetResult[];
  /** In the same order. */
  readonly failed: readonly FailedResult[];
}

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
   * Makes several widths and formats of an image: each the bytes that `optimize` gives, in less time, because the image
   * is decoded for many of them at once.
   * @param image must stay unchanged meanwhile
   * @throws ImageError if the headers rule out any result, or none could be made; else as `optimize`
   */
  optimizeSet(image: ImageSource, set: SetOptions, run?: Run): Promise<ImageSet>;
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
      await loadCode(file, [options.format], options);
      return withCode(() => engine.optimize(file, given, rising));
    },
    async optimizeSet(image, options, run = {}) {
      const set = readSetOptions(options);
      const file = await bytesOf(image);
      const rising = risingOnly(run);
      // What is missing later costs the time of all results so far.
      await loadCode(file, set.formats, options);
      return withCode(async () => {
        const { width, height, type } = engine.inspect(file);
        const outcomes: SetOutcome[] = [];
        for await (const one of engine.optimizeSet(file, set, rising)) outcomes.push(one);
        const types = set.formats.map((format) => (format === 'keep' ? type : format));
        return { width, height, ...sorted(outcomes, types) };
      });
    },
    async inspect(image) {
      const file = await bytesOf(image);
      await loadCode(file, []);
      return withCode(() => engine.inspect(file));
    },
    async plan(image, options = {}) {
      const given = readOptions(options);
      const file = await bytesOf(image);
      await loadCode(file, [options.format], options);
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

export const { optimize, optimizeSet, inspect, plan, predict } = createEngine();

/**
 * Puts what came of a set in order.
 * @param types in the order of the formats
 * @throws ImageError if there is no result
 */
function sorted(
  outcomes: readonly SetOutcome[],
  types: readonly ImageType[],
): Pick<ImageSet, 'placeholder' | 'results' | 'failed'> {
  const inOrder = outcomes.toSorted(
    (a, b) => a.width - b.width || types.indexOf(a.type) - types.indexOf(b.type),
  );
  const results = inOrder.flatMap((one) =>
    one.kind === 'made' ? [{ ...one.made, boxWidth: one.width }] : [],
  );
  const failed = inOrder.flatMap((one) =>
    one.kind === 'failed' ? [{ width: one.width, type: one.type, error: one.error }] : [],
  );
  if (results.length === 0 && failed[0]) throw failed[0].error;
  const placeholder = results.find((one) => one.placeholder !== null)?.placeholder ?? null;
  return { placeholder, results, failed };
}

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

/**
 * Loads what an image will probably need, at the same time. What is missing then is loaded when it is needed.
 * @param formats of the results; none if the image is only looked at
 */
async function loadCode(
  file: Uint8Array,
  formats: readonly OptimizeOptions['format'][],
  { among, placeholder, position }: Omit<OptimizeOptions, 'format'> = {},
): Promise<void> {
  const input = inputFacts.find(({ recognizes }) => recognizes(file))?.type;
  if (!input) return;
  const outputs = new Set(formats.flatMap((format) => outputsOf(input, format, among)));
  const others = [
    ...(hasXmp(file) ? [loadXml()] : []),
    ...(placeholder === 'thumbhash' ? [loadHashing()] : []),
    ...(position === 'auto' ? [loadCropping()] : []),
  ];
  const types = new Set<ImageType>([input, ...outputs]);
  const codes = Array.from(types, (type) => loadFormat(type, { isWritten: outputs.has(type) }));
  await loading(Promise.all([...codes, ...others]));
}

/** The types that a picture may become. */
function outputsOf(
  input: ImageType,
  format: OptimizeOptions['format'] = 'keep',
  among: OptimizeOptions['among'],
): ImageType[] {
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

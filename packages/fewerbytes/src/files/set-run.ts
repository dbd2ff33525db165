import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { itemsOf, readSetOptions } from '../../../../src/image/engine.ts';
import { pictureMarkup, type ShownFile } from '../../../../src/image/markup.ts';
import type { SetFile } from '../client/set-answer.ts';
import { inspect } from '../engine/index.ts';
import { OptimizeError } from '../errors.ts';
import { formatName, imageTypeOf, type MediaType, partsInSet, stemOf } from '../images.ts';
import type { SetOptions } from '../options.ts';
import { expectedType, type ResultName } from './destination.ts';
import { type FoundFile, shownPath } from './find.ts';
import type { Placement, Source } from './placement.ts';
import {
  blankResult,
  type FileResult,
  failedResult,
  type RunEvent,
  type SetFileResult,
} from './report.ts';
import type { MadeSet, SetOptimizer } from './set-optimizer.ts';
import { has } from './state.ts';
import { failureOf } from './threads.ts';
import { removeOldParts } from './write.ts';

/** What a page puts in place of this: how wide it shows an image. */
const sizesToFill = '{{sizes}}';

interface SetTools {
  readonly set: SetOptions;
  readonly sets: SetOptimizer;
  readonly settings: {
    readonly dryRun?: boolean;
    readonly write?: boolean;
    readonly sizes?: string | undefined;
  };
  readonly cwd: string;
  readonly placement: Placement;
  make(bytes: Uint8Array<ArrayBuffer>): Promise<MadeSet>;
  /** Puts a result in its place, unless it is there. */
  put(source: Source, destination: string, bytes: Uint8Array, inputType: string): Promise<void>;
}

/** A result that is to be made. */
interface Target {
  readonly width: number;
  readonly type: string;
  /** Where it goes; null if nothing is to be written. */
  readonly destination: string | null;
  readonly refusal: 'exists' | null;
}

/** Makes sets of the images of one run. */
export class SetRun {
  readonly #tools: SetTools;
  /** Paths of the images without extensions. */
  readonly #stems: ReadonlySet<string>;

  constructor(files: readonly FoundFile[], tools: SetTools) {
    this.#tools = tools;
    this.#stems = new Set(files.map(({ realPath }) => stemOf(realPath)));
  }

  /**
   * Makes and writes the set of an image.
   * @throws OptimizeError if none of it can be made or written; the reason of the signal when it is aborted
   */
  async one(source: Source): Promise<RunEvent & { readonly type: 'file' | 'set' }> {
    const { file, bytes } = source;
    const { sets, settings } = this.#tools;
    const inputType = imageTypeOf(bytes);
    if (inputType === null) throw new OptimizeError('not_an_image');
    const size = await inspect(bytes).catch((error: unknown) => {
      throw failureOf(error);
    });
    const blank = blankResult(file.path, bytes.length);
    if (await this.#isResult(source, size.width)) {
      return { type: 'file', file: { ...blank, reason: 'set-result' } };
    }
    const targets = await this.#targets(source, inputType, size);
    const known = await sets.known(bytes);
    if (settings.dryRun && !known) {
      return { type: 'file', file: { ...blank, inputType, status: 'planned' } };
    }
    const isFutile = !known && targets.every(({ refusal }) => refusal !== null);
    const made = isFutile ? null : (known ?? (await this.#tools.make(bytes)));
    const files: SetFileResult[] = [];
    for (const target of targets) files.push(await this.#place(source, inputType, target, made));
    const html = this.#html(files);
    const { width, height } = size;
    const { path } = file;
    const placeholder = made?.placeholder ?? null;
    return { type: 'set', set: { path, width, height, placeholder, html, files } };
  }

  /** Whether an image is itself a result of a set: the cache knows it, or it has such a name beside the image. */
  async #isResult({ file, bytes }: Source, width: number): Promise<boolean> {
    if (await this.#tools.sets.result(bytes)) return true;
    const { realPath } = file;
    const parts = partsInSet(basename(realPath));
    const isNamed = parts?.width === width;
    return isNamed && this.#stems.has(join(dirname(realPath), parts.stem));
  }

  async #targets(
    source: Source,
    inputType: MediaType,
    size: { readonly width: number; readonly height: number },
  ): Promise<readonly Target[]> {
    const { set, settings, placement } = this.#tools;
    const targets: Target[] = [];
    for (const { width, options } of itemsOf(readSetOptions(set), size, formatName(inputType))) {
      const name = { type: expectedType(options.format, inputType) ?? inputType, width };
      if (settings.write === false) {
        targets.push({ ...name, destination: null, refusal: null });
        continue;
      }
      const destination = await placement.destination(source.file, inputType, name);
      const refusal = await placement.refusal(source, inputType, name.type, destination);
      targets.push({ ...name, destination, refusal });
    }
    return targets;
  }

  /** Writes one result, unless the file that is there must stay. */
  async #place(
    source: Source,
    inputType: string,
    { width, type, destination, refusal }: Target,
    made: MadeSet | null,
  ): Promise<SetFileResult> {
    const { file, bytes } = source;
    const blank = { ...blankResult(file.path, bytes.length), inputType };
    const none = { width: null, height: null };
    const result = made?.results.find((one) => one.boxWidth === width && one.type === type);
    const isThere =
      result !== undefined && destination !== null && (await has(destination, result.bytes));
    if (refusal && !isThere) return { ...blank, ...none, reason: refusal };
    if (!made || !result) {
      const failure = made?.failed.find((one) => one.width === width && one.type === type);
      const error = failure?.error ?? new OptimizeError('internal_error');
      return { ...failedOfSet(blank, error, { width, type }), ...none };
    }
    const facts = {
      ...blank,
      ...{ outputType: result.type, outputBytes: result.bytes.length },
      ...{ score: result.score, isCached: made.isCached },
      ...{ width: result.width, height: result.height },
    };
    if (this.#tools.settings.dryRun && !isThere) return { ...facts, status: 'planned' };
    try {
      const output = await this.#put(source, inputType, destination, result);
      return { ...facts, status: 'optimized', output };
    } catch (error) {
      if (!(error instanceof OptimizeError)) throw error;
      return { ...failedOfSet(blank, error, { width, type }), ...none };
    }
  }

  /** @returns the path of a result, for display */
  async #put(
    source: Source,
    inputType: string,
    destination: string | null,
    { bytes }: SetFile,
  ): Promise<string | null> {
    if (destination === null) return null;
    if (!this.#tools.settings.dryRun) {
      await removeOldParts(dirname(destination));
      await this.#tools.put(source, destination, bytes, inputType);
    }
    return shownPath(destination, this.#tools.cwd);
  }

  #html(files: readonly SetFileResult[]): string {
    const shown = files.flatMap(({ output, outputType, width, height }): ShownFile[] =>
      output === null || outputType === null || width === null || height === null
        ? []
        : [{ url: this.#url(output), mediaType: outputType, width, height }],
    );
    const { sizes = sizesToFill } = this.#tools.settings;
    return shown.length > 0 ? pictureMarkup(shown, sizes) : '';
  }

  /** The URL of a file for a page in the working folder. */
  #url(path: string): string {
    const { cwd } = this.#tools;
    return relative(cwd, resolve(cwd, path)).split(sep).map(encodeURIComponent).join('/');
  }
}

/** What names the results of a set, as far as it is known without the image. */
export function namesInSet(
  { widths, formats = ['keep'] }: SetOptions,
  inputType: MediaType,
): readonly ResultName[] {
  return widths.flatMap((width) =>
    formats.map((format) => ({ width, type: expectedType(format, inputType) ?? inputType })),
  );
}

/** @param name what of the set has failed */
function failedOfSet(
  { path, inputBytes, inputType }: FileResult,
  error: OptimizeError,
  { width, type }: Required<ResultName>,
): FileResult {
  const { code, message, status, requestId, help, stop } = error;
  const told = new OptimizeError(code, {
    detail: `${width} pixels wide, as ${type}: ${message}`,
    ...(status !== null && { status }),
    ...(requestId !== null && { requestId }),
    ...(help !== null && { help }),
    ...{ stop, cause: error },
  });
  return { ...failedResult(path, inputBytes, told), inputType };
}

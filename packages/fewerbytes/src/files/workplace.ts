import type { Answer } from '../client/answer.ts';
import { Client, type Wait } from '../client/client.ts';
import type { SetAnswer } from '../client/set-answer.ts';
import type { ImageSet, Optimized, OptimizeOptions, Run, SetOptions } from '../engine/index.ts';
import { isAbort, OptimizeError } from '../errors.ts';
import { identity } from '../identity.ts';
import { imageTypeOf, isMediaType, typeOfFormat } from '../images.ts';
import { failureOf, Threads } from './threads.ts';

// Where images are worked on: in threads of this process, or by a service that is sent them.

/** Says where. */
export interface WorkplaceSettings {
  /**
   * Whether a service does the work. Default: whether `url` or `key` is given, or both `FEWERBYTES_URL` and
   * `FEWERBYTES_KEY` are set in the environment; otherwise nothing leaves this machine.
   */
  readonly service?: boolean | undefined;
  /** Address of the service, such as `https://images.example`. Default: `FEWERBYTES_URL`. */
  readonly url?: string | undefined;
  /** An API key of the service. Default: `FEWERBYTES_KEY`. */
  readonly key?: string | undefined;
}

interface Service {
  readonly url: string;
  readonly key: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service that does the work; null: this machine.
 * @throws RangeError if a service is wanted without its address or key
 */
export function serviceIn(
  { service, url, key }: WorkplaceSettings,
  environment: Environment = process.env,
): Service | null {
  const address = url || environment.FEWERBYTES_URL;
  const token = key || environment.FEWERBYTES_KEY;
  const isNamed = Boolean(url || key || (address && token));
  if (!(service ?? isNamed)) return null;
  if (address && token) return { url: address, key: token };
  throw new RangeError(
    `A service is to be used, but ${address ? 'FEWERBYTES_KEY is not set: create an API key' : 'FEWERBYTES_URL is not set: it is the address of the service, such as https://images.example'}.`,
  );
}

export interface Workplace {
  /** Part of cache keys: what may give other bytes for the same image. */
  readonly origin: string;
  /** Requests sent so far, including retries; null if nothing is ever sent. */
  readonly sent: number | null;
  /**
   * @throws OptimizeError
   * @throws the signal's reason when it is aborted
   */
  optimize(
    bytes: Uint8Array<ArrayBuffer>,
    options: OptimizeOptions,
    signal?: AbortSignal,
  ): Promise<Answer>;
  /**
   * Makes several results of an image.
   * @throws as `optimize`
   */
  optimizeSet(
    bytes: Uint8Array<ArrayBuffer>,
    set: SetOptions,
    signal?: AbortSignal,
  ): Promise<SetAnswer>;
  /** Ends what is still being worked on, if that does not end by itself. */
  close?(): Promise<void>;
}

/**
 * @param concurrency threads of this machine
 * @param onWait see `ClientSettings`
 */
export function workplaceFor(
  service: Service | null,
  concurrency: number,
  onWait?: (wait: Wait) => void,
): Workplace {
  return service === null
    ? new ThisMachine(concurrency)
    : new Client({ ...service, ...(onWait && { onWait }) });
}

/** Threads of this process. Nothing is sent anywhere. */
export class ThisMachine implements Workplace {
  readonly origin = `local ${identity.version} ${identity.engine}`;
  readonly sent = null;
  readonly #threads: Threads;

  /** @param size number of threads, which are started when there is work for them */
  constructor(size: number) {
    this.#threads = new Threads(size);
  }

  async optimize(
    bytes: Uint8Array<ArrayBuffer>,
    options: OptimizeOptions,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return explained(signal, async (run) =>
      answerOf(bytes, await this.#threads.optimize(bytes, options, run)),
    );
  }

  async optimizeSet(
    bytes: Uint8Array<ArrayBuffer>,
    set: SetOptions,
    signal?: AbortSignal,
  ): Promise<SetAnswer> {
    return explained(signal, async (run) =>
      setAnswerOf(bytes, await this.#threads.optimizeSet(bytes, set, run)),
    );
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

/** Does work of the engine. @throws OptimizeError in the place of its errors; the reason of the signal */
async function explained<Made>(
  signal: AbortSignal | undefined,
  work: (run: Run) => Promise<Made>,
): Promise<Made> {
  try {
    return await work(signal ? { signal } : {});
  } catch (error) {
    if (isAbort(error, signal) || error instanceof OptimizeError) throw error;
    throw failureOf(error);
  }
}

/** A result of the engine in the terms of a response of the service. */
function answerOf(image: Uint8Array, made: Optimized): Answer {
  const { bytes, mediaType, width, height, quality, score, placeholder, reason } = made;
  const inputType = imageTypeOf(image);
  if (!isMediaType(mediaType) || inputType === null) throw new OptimizeError('not_an_image');
  return {
    ...{ bytes, type: mediaType, inputType, width, height, quality: String(quality) },
    ...{ score, placeholder, reason, quotaRemaining: null, requestId: null },
  };
}

/** The same of a set. */
function setAnswerOf(image: Uint8Array, set: ImageSet): SetAnswer {
  const inputType = imageTypeOf(image);
  if (inputType === null) throw new OptimizeError('not_an_image');
  const results = set.results.map(
    ({ bytes, mediaType, boxWidth, width, height, quality, score }) => {
      if (!isMediaType(mediaType)) throw new OptimizeError('not_an_image');
      return { bytes, type: mediaType, boxWidth, width, height, quality: String(quality), score };
    },
  );
  const failed = set.failed.map(({ width, type, error }) => ({
    ...{ width, type: typeOfFormat(type) ?? type },
    error: failureOf(error),
  }));
  const { width, height, placeholder } = set;
  return { inputType, width, height, placeholder, results, failed, quotaRemaining: null };
}

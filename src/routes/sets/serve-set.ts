import type { Context } from 'hono';
import { ApiError } from '../../errors.ts';
import {
  defaultOptions,
  type NamedResult,
  planSet,
  predict,
  type SetOptions,
  type SetOutcome,
  type SetPass,
  type SetWork,
} from '../../image/engine.ts';
import { factsOf } from '../../image/formats/facts.ts';
import { setLife } from '../../meter/messages.ts';
import { logFault } from '../../telemetry/log.ts';
import type { KeyEnv, RequestNotes } from '../http/context.ts';
import { note } from '../http/context.ts';
import { apiErrorOf } from '../http/problems.ts';
import { overloaded } from '../http/rate-limit.ts';
import type { Job } from '../optimize/job.ts';
import { disposition, stemOf } from '../optimize/picture-headers.ts';
import { countedWork, countResult, prepare } from '../optimize/shrink.ts';
import { readUpload, type Upload } from '../optimize/upload.ts';
import { Archive } from './archive.ts';
import { ManifestWriter } from './manifest.ts';
import { listsInJson, readSetOptions } from './set-options.ts';

/** What became of one result of a set, as it is booked. */
type EndOfResult =
  /** All of it has left. */
  | {
      readonly kind: 'left';
      readonly cpuMs: number;
      readonly bytesOut: number;
      readonly isCharged: boolean;
    }
  /** It took CPU time, but is no answer. */
  | { readonly kind: 'spent'; readonly cpuMs: number }
  | { readonly kind: 'not-made' };

const setReader = { read: readSetOptions, lists: Object.keys(listsInJson) };

/** The permission to make the results of a set. In the end it is either settled or given back. */
export interface SetAllowance {
  /** The account by which memory is counted. */
  readonly account: string;
  /** When its first file was reserved, in milliseconds since 1970; those of the others lapse with it. */
  readonly reservedAt: number;
  /**
   * Reserves a file and CPU time for each result, before anything is made.
   * @param cpuMs predicted CPU time of each, in milliseconds
   * @returns files left if all of them are charged
   * @throws ApiError
   */
  permit(cpuMs: readonly number[]): Promise<number>;
  /** @param bytesIn size of the upload */
  settle(ends: readonly EndOfResult[], bytesIn: number): void;
  giveBack(): void;
}

/**
 * Reads an image, makes a set of results of it, and sends each as soon as it is made. Between the passes of the work,
 * which follow each other when everything so far has left, others have their turns, and only the upload is held.
 * @throws ApiError for all client errors that show before the first result
 */
export async function serveSet(
  c: Context<KeyEnv>,
  job: Job,
  allowance: SetAllowance,
): Promise<Response> {
  const notes = (found: RequestNotes) => note(c, found);
  const client = c.req.raw.signal;
  let upload: Upload<SetOptions> | undefined;
  let isSettled = false;
  let hasBegun = false;
  try {
    job.expect(0);
    upload = await readUpload(c.req.raw, setReader, c.var.config, (fileBytes, set) => {
      job.expect(predict(fileBytes, set?.shared ?? defaultOptions).cpuMs);
      return job;
    });
    const { held, options, name } = upload;
    const prepared = prepare(held, () => planSet(held.bytes, options), notes);
    if (prepared.kind === 'refused') {
      const { isSpent, cpuMs, error } = prepared;
      if (isSpent) allowance.settle([{ kind: 'spent', cpuMs }], held.length);
      isSettled = isSpent;
      throw error;
    }
    const { work } = prepared;
    const shares = sharesOf(work);
    const remaining = await allowance.permit(shares);
    hasBegun = true;
    const archive = new Archive({ owner: allowance.account, client });
    const making = new SetInProgress(work, shares, { job, upload, archive, client });
    const rest = Math.max(0, allowance.reservedAt + setLife - Date.now());
    const end = setTimeout(() => void archive.abort(), rest);
    const settled = making.run().finally(() => {
      clearTimeout(end);
      upload?.held.end();
      job.end();
      allowance.settle(making.ends, work.inputBytes);
    });
    // The books are closed even if the client leaves.
    c.executionCtx.waitUntil(
      settled.catch((error: unknown) => {
        if (error instanceof ApiError) return;
        const { requestId: request_id } = c.var;
        logFault('set_broke_off', { request_id, error: String(error) });
      }),
    );
    await Promise.race([making.begun, settled]);
    return c.body(archive.body, 200, {
      'Content-Type': 'application/zip',
      'Content-Disposition': disposition('attachment', name, 'zip'),
      'Image-Width': String(work.inputSize.width),
      'Image-Height': String(work.inputSize.height),
      'Image-Input-Type': factsOf(work.inputType).mediaType,
      'Image-Input-Bytes': String(work.inputBytes),
      'Quota-Remaining': String(remaining),
    });
  } finally {
    if (!hasBegun) {
      upload?.held.end();
      if (!isSettled) allowance.giveBack();
    }
  }
}

/** Predicted CPU time of each result in the order in which they are made, in milliseconds. */
function sharesOf({ passes }: SetWork): readonly number[] {
  let before = 0;
  return passes.flatMap(({ results, cpuMs }) => {
    const sum = before + cpuMs;
    before = results.length > 0 ? 0 : sum;
    return results.map(() => sum / results.length);
  });
}

interface Surroundings {
  readonly job: Job;
  readonly upload: Upload<SetOptions>;
  readonly archive: Archive;
  /** The signal of the request: aborts when the client has gone. */
  readonly client: AbortSignal;
}

/** A set that is being made. */
class SetInProgress {
  readonly #work: SetWork;
  readonly #job: Job;
  readonly #upload: Upload<SetOptions>;
  readonly #archive: Archive;
  readonly #client: AbortSignal;
  readonly #stem: string;
  readonly #manifest = new ManifestWriter();
  /** Results of which there is no outcome yet, in the order in which they are made. */
  readonly #waiting: NamedResult[];
  /** Predicted CPU time of each result in this order, in milliseconds. */
  readonly #shares: readonly number[];
  readonly #pending: (EndOfResult | Promise<EndOfResult>)[] = [];
  #ends: readonly EndOfResult[] = [];
  /** Predicted CPU time of all results of which the end is noted, in milliseconds. */
  #bookedMs = 0;
  #firstError: ApiError | null = null;
  #hasBegun = false;
  #begin: () => void = () => {};
  /** Settles when the first result has been made. */
  readonly begun: Promise<void>;

  constructor(
    work: SetWork,
    shares: readonly number[],
    { job, upload, archive, client }: Surroundings,
  ) {
    this.#work = work;
    this.#job = job;
    this.#upload = upload;
    this.#archive = archive;
    this.#client = client;
    this.#shares = shares;
    this.#stem = entryName(stemOf(upload.name));
    this.#waiting = work.passes.flatMap(({ results }) => results);
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  /** What became of each result, in the order in which they were to be made, once `run` has settled. */
  get ends(): readonly EndOfResult[] {
    return this.#ends;
  }

  /**
   * Makes all results. Settles when the archive has left, or will not.
   * @throws ApiError if there is no result at all
   */
  async run(): Promise<void> {
    try {
      await this.#makeAll();
      this.#upload.held.end();
      this.#job.end();
      void this.#archive.add('manifest.json', this.#manifest.bytes(this.#work.inputSize));
      await this.#archive.close();
    } catch (error) {
      await this.#archive.abort();
      if (!this.#hasBegun || !(error instanceof ApiError)) throw error;
    } finally {
      await this.#closeBooks();
    }
  }

  /** @throws ApiError if there is no result at all, or nobody to send them to */
  async #makeAll(): Promise<void> {
    try {
      await this.#makePasses();
    } catch (error) {
      const isOver = !(error instanceof ApiError) || this.#client.aborted;
      if (isOver || !this.#hasBegun) throw error;
      // The client gets what was made before, and what became of the rest.
      for (const result of this.#waiting) this.#manifest.addFailed(result, error);
    }
    if (!this.#hasBegun) throw this.#firstError ?? new ApiError('internal_error');
  }

  async #makePasses(): Promise<void> {
    const { passes } = this.#work;
    for (const [index, pass] of passes.entries()) {
      await this.#makePass(index, pass);
      if (pass !== passes.at(-1)) await this.#rest();
    }
  }

  async #makePass(index: number, { cpuMs: passMs, peak }: SetPass): Promise<void> {
    const job = this.#job;
    await job.turn(passMs, peak);
    if (this.#upload.held.isGone) throw overloaded();
    const before = this.#bookedMs;
    const take = (outcome: SetOutcome) => this.#take(outcome);
    const doing = job.workplace.makePass(this.#work, index, this.#upload, take);
    try {
      await countedWork(job, { inputType: this.#work.inputType, cpuMs: passMs }, doing);
    } catch (error) {
      // It has taken time, whatever becomes of it.
      const spentMs = Math.min(doing.cpuMs, passMs) - (this.#bookedMs - before);
      const cpuMs = Math.max(0, spentMs);
      if (this.#waiting.length > 0) this.#note(() => ({ kind: 'spent', cpuMs }));
      throw error;
    }
  }

  /** Lets others work until everything so far has left. */
  async #rest(): Promise<void> {
    const { held } = this.#upload;
    held.rest(() => this.#archive.isSlow);
    const left = this.#archive.left;
    await this.#job.rest(left);
    held.rest(null);
    if (!(await left)) throw overloaded();
  }

  /** Takes over the memory of a result at once, and sends it. */
  #take(outcome: SetOutcome): void {
    this.#waiting.splice(
      this.#waiting.findIndex((one) => isSame(one, outcome)),
      1,
    );
    if (outcome.kind === 'failed') {
      const error = apiErrorOf(outcome.error);
      this.#firstError ??= error;
      this.#manifest.addFailed(outcome, error);
      const isSpent = outcome.isTried && error.code !== 'overloaded';
      this.#note((cpuMs) => (isSpent ? { kind: 'spent', cpuMs } : { kind: 'not-made' }));
      return;
    }
    const { bytes, extension, optimized: isCharged } = outcome.made;
    countResult(outcome.type, bytes);
    const file = `${this.#stem}-${outcome.width}.${extension}`;
    this.#manifest.addMade(outcome, file);
    const bytesOut = bytes.length;
    const left = this.#archive.add(file, bytes);
    this.#note(async (cpuMs) =>
      (await left) ? { kind: 'left', cpuMs, bytesOut, isCharged } : { kind: 'spent', cpuMs },
    );
    this.#hasBegun = true;
    this.#begin();
  }

  /** Notes the end of the next result. @param end of one that has taken this much CPU time, in milliseconds */
  #note(end: (cpuMs: number) => EndOfResult | Promise<EndOfResult>): void {
    const cpuMs = this.#shares[this.#pending.length] ?? 0;
    this.#bookedMs += cpuMs;
    this.#pending.push(end(cpuMs));
  }

  async #closeBooks(): Promise<void> {
    const ends = await Promise.all(this.#pending);
    const others = this.#shares.slice(ends.length).map(() => ({ kind: 'not-made' }) as const);
    this.#ends = [...ends, ...others];
  }
}

/** A name that every system can unpack and shows as it is: none that is hidden, reserved, or written backwards. */
function entryName(stem: string): string {
  const name = stem.replace(/^\.+/, '').replace(/[\p{Cc}:*?"<>|\u202a-\u202e\u2066-\u2069]/gu, '_');
  return name || 'image';
}

function isSame(one: NamedResult, other: NamedResult): boolean {
  return one.width === other.width && one.type === other.type;
}

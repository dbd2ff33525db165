import type { Context } from 'hono';
import {
  defaultOptions,
  type Optimized,
  type OptimizeOptions,
  plan,
  predict,
  type Work,
} from '../../image/engine.ts';
import type { Settlement } from '../../meter/messages.ts';
import { type AppEnv, note, type RequestNotes } from '../http/context.ts';
import type { Job } from './job.ts';
import { readOptions } from './options.ts';
import { pictureHeaders } from './picture-headers.ts';
import { send } from './send.ts';
import { prepare, type Refused, shrink } from './shrink.ts';
import { readUpload, type Upload } from './upload.ts';

/** How a request with work ended, as it is booked. */
type End = Pick<Settlement, 'answered' | 'charged' | 'cpuMs'>;

/** The permission to process one image. In the end it is either settled or given back. */
export interface Allowance {
  /** The account by which the memory of its response is counted. */
  readonly account: string;
  /**
   * Checks that planned work may begin.
   * @throws ApiError
   */
  permit(work: Work): Promise<void>;
  /** @param sent settles when the response has left: whether any of it did */
  settle(end: End, sent: Promise<boolean>): void;
  giveBack(): void;
  /** How many files are left after this one. */
  remaining(isCharged: boolean): number;
}

/**
 * Tells the job of a request what is known about its image.
 * @param fileBytes size of the image; null if not known yet
 */
export type Enter = (fileBytes: number | null, options: OptimizeOptions) => Job;

/** A finished result, with its upload. */
export interface FinishedWork {
  readonly upload: Upload;
  readonly work: Work;
  readonly picture: Optimized;
  /** Duration of the whole request. */
  readonly milliseconds: number;
}

interface SentResponse {
  readonly response: Response;
  /** Settles when the response has left: whether any of it did. */
  readonly sent: Promise<boolean>;
}

/** How an image is received, and how its result is sent. */
export interface Exchange {
  read(enter: Enter): Promise<Upload>;
  /**
   * A step before the work, while the request can still be refused.
   * @throws ApiError
   */
  begin?(upload: Upload, work: Work): Promise<void>;
  /** Creates the response. Takes over the memory of the result synchronously, because the work has given it up. */
  respond(finished: FinishedWork): SentResponse | Promise<SentResponse>;
}

/**
 * Reads an image, processes it in its turn, and creates the response with the result.
 * @throws ApiError for all possible client errors, and `overloaded`
 */
export async function serveImage<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  job: Job,
  allowance: Allowance,
  exchange: Exchange,
): Promise<Response> {
  const notes = (found: RequestNotes) => note(c, found);
  let isSettled = false;
  const refuse = ({ error, isSpent, cpuMs }: Refused): never => {
    if (isSpent) {
      allowance.settle({ answered: null, charged: false, cpuMs }, Promise.resolve(true));
      isSettled = true;
    }
    throw error;
  };
  let upload: Upload | undefined;
  try {
    const started = Date.now();
    // It is authorized, even if a JSON body has yet to say where its image is.
    job.expect(0);
    upload = await exchange.read((fileBytes, options) => {
      job.expect(predict(fileBytes, options).cpuMs);
      return job;
    });
    const { held, options } = upload;
    const prepared = prepare(held, () => plan(held.bytes, options), notes);
    if (prepared.kind === 'refused') return refuse(prepared);
    const { work } = prepared;
    const { cpuMs } = work;
    await allowance.permit(work);
    await exchange.begin?.(upload, work);
    await job.turn(cpuMs, work.peak);
    const outcome = await shrink(work, upload, job, notes);
    job.end();
    if (outcome.kind === 'refused') return refuse(outcome);
    const { picture, hold } = outcome;
    const answered = { bytesIn: work.inputBytes, bytesOut: picture.bytes.length };
    const milliseconds = Date.now() - started;
    const finished = { upload, work, picture, milliseconds };
    const responding = exchange.respond(finished);
    hold.release();
    const { response, sent } = await responding;
    allowance.settle({ answered, charged: picture.optimized, cpuMs }, sent);
    isSettled = true;
    return response;
  } finally {
    upload?.held.end();
    if (!isSettled) allowance.giveBack();
  }
}

/** Receives the image with the request in any of its forms, and responds with the result. */
export function respondingWithPicture<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { account, remaining }: Allowance,
): Exchange {
  const client = c.req.raw.signal;
  return {
    read: (enter) =>
      readUpload(c.req.raw, { read: readOptions }, c.var.config, (fileBytes, options) =>
        enter(fileBytes, options ?? defaultOptions),
      ),
    respond({ upload, work, picture, milliseconds }) {
      const { body, sent } = send(picture.bytes, { owner: account, client });
      const response = c.body(body, 200, {
        ...pictureHeaders(work, picture, upload.name),
        'Server-Timing': `optimize;dur=${milliseconds}`,
        ...(upload.options.format === 'auto' && { Vary: 'Accept' }),
        'Quota-Remaining': String(remaining(picture.optimized)),
      });
      return { response, sent };
    },
  };
}

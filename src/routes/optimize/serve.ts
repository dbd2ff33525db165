import type { Context } from 'hono';
import type { OptimizeOptions } from '../../image/pipeline/options.ts';
import { expectedCpu } from '../../image/pipeline/predicted-cpu.ts';
import type { Settlement } from '../../meter/messages.ts';
import { type AppEnv, note, type RequestNotes } from '../http/context.ts';
import { judge, type Picture, pictureHeaders, type Verdict } from './answer.ts';
import { type Job, turns } from './scheduler.ts';
import { send } from './send.ts';
import { prepare, shrink, type Work } from './shrink.ts';
import { readUpload, type Upload, type UploadRules } from './upload.ts';

/** How a request ended on which there was work, as it is booked. */
type End = Pick<Settlement, 'answered' | 'charged' | 'cpuMs'>;

/** One image that a request may have worked on. In the end it is either settled or given back. */
export interface Allowance {
  /** Whose turn it is, and whose memory. */
  readonly account: string;
  /**
   * Makes sure that planned work may begin.
   * @throws ApiError
   */
  permit(upload: Upload, work: Work): Promise<void>;
  /** @param sent settles when the answer has left */
  settle(end: End, sent: Promise<void>): void;
  giveBack(): void;
  /** How many files are left after this one. */
  remaining(isCharged: boolean): number;
}

/** Lets the request wait for its turn, by what is known of it so far. @param fileBytes of the image; null: not known yet */
export type Enter = (fileBytes: number | null, options: OptimizeOptions) => Job;

/** A picture that has been made, and where it came from. */
export interface Made {
  readonly upload: Upload;
  readonly outcome: Picture;
  readonly verdict: Verdict;
  /** That all of it took. */
  readonly milliseconds: number;
}

export interface Answer {
  readonly response: Response;
  /** Settles when it has left. */
  readonly sent: Promise<void>;
}

/** How an image comes, and how what is made of it goes. */
export interface Exchange {
  read(enter: Enter): Promise<Upload>;
  /**
   * Something that has to be done before the work, while there is still time to refuse it.
   * @throws ApiError
   */
  begin?(upload: Upload, work: Work): Promise<void>;
  /** Takes over the memory of the result synchronously: the work has given it up. */
  answer(made: Made): Answer | Promise<Answer>;
}

/**
 * Reads an image, works on it in its turn, and answers with what came of it.
 * @throws ApiError for all that a client may have done wrong, and `overloaded`
 */
export async function serveImage<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  allowance: Allowance,
  exchange: Exchange,
): Promise<Response> {
  const { account } = allowance;
  const notes = (found: RequestNotes) => note(c, found);
  let isSettled = false;
  let job: Job | undefined;
  let upload: Upload | undefined;
  try {
    const started = Date.now();
    upload = await exchange.read((fileBytes, options) => {
      job = turns.enter(account, expectedCpu(fileBytes, options), c.req.raw.signal);
      return job;
    });
    const work = prepare(upload, notes);
    if (work.kind === 'refused') throw work.error;
    const { cpuMs } = work;
    await allowance.permit(upload, work);
    await exchange.begin?.(upload, work);
    await job?.turn(cpuMs, work.peak);
    const outcome = shrink(work, upload, notes);
    job?.end();
    if (outcome.kind === 'refused') {
      if (outcome.isSpent) {
        allowance.settle({ answered: null, charged: false, cpuMs }, Promise.resolve());
        isSettled = true;
      }
      throw outcome.error;
    }
    const { source, result } = outcome;
    const verdict = judge(outcome);
    const answered = { bytesIn: source.fileBytes, bytesOut: result.bytes.length };
    const milliseconds = Date.now() - started;
    const made = { upload, outcome, verdict, milliseconds };
    const { response, sent } = await exchange.answer(made);
    allowance.settle({ answered, charged: verdict.optimized, cpuMs }, sent);
    isSettled = true;
    return response;
  } finally {
    upload?.held.end();
    job?.end();
    if (!isSettled) allowance.giveBack();
  }
}

/**
 * The image comes with the request in any of its forms, and the answer is the picture.
 * @param remainingHeader says what is left after this one
 */
export function answeringWithPicture<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  { account, remaining }: Allowance,
  rules: UploadRules,
  remainingHeader: 'Quota-Remaining' | 'Trial-Remaining',
): Exchange {
  return {
    read: (enter) => readUpload(c.req.raw, enter, rules),
    answer({ upload, outcome, verdict, milliseconds }) {
      const { body, sent } = send(outcome.result.bytes, account);
      const response = c.body(body, 200, {
        ...pictureHeaders(outcome, verdict, upload.name),
        'Server-Timing': `optimize;dur=${milliseconds}`,
        ...(upload.options.format === 'auto' && { Vary: 'Accept' }),
        [remainingHeader]: String(remaining(verdict.optimized)),
      });
      return { response, sent };
    },
  };
}

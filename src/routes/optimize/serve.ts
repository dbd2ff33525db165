import type { Context } from 'hono';
import type { OptimizeOptions } from '../../image/pipeline/options.ts';
import { expectedCpu } from '../../image/pipeline/predicted-cpu.ts';
import type { Settlement } from '../../meter/ledger.ts';
import { type AppEnv, note, type RequestNotes } from '../http/context.ts';
import { judge, pictureHeaders } from './answer.ts';
import { repeated } from './bookkeeping.ts';
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
  readonly rules: UploadRules;
  /**
   * Makes sure that planned work may begin.
   * @throws ApiError
   */
  permit(upload: Upload, work: Work): Promise<void>;
  /** @param sent settles when the answer has left */
  settle(end: End, sent: Promise<void>): void;
  giveBack(): Promise<void>;
  /** What is left after this one, as headers of the answer. */
  remaining(isCharged: boolean): Readonly<Record<string, string>>;
}

/**
 * Reads an image, works on it in its turn, and answers with what came of it.
 * @throws ApiError for all that a client may have done wrong, and `overloaded`
 */
export async function serveImage<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  allowance: Allowance,
): Promise<Response> {
  const { account, rules } = allowance;
  const notes = (found: RequestNotes) => note(c, found);
  let isSettled = false;
  let job: Job | undefined;
  let upload: Upload | undefined;
  try {
    const started = Date.now();
    const enter = (fileBytes: number | null, options: OptimizeOptions) => {
      job = turns.enter(account, expectedCpu(fileBytes, options), c.req.raw.signal);
      return job;
    };
    upload = await readUpload(c.req.raw, enter, rules);
    const work = prepare(upload, notes);
    if (work.kind === 'refused') throw work.error;
    const { cpuMs } = work;
    await allowance.permit(upload, work);
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
    const { body, sent } = send(result.bytes, account);
    const answered = { bytesIn: source.fileBytes, bytesOut: result.bytes.length };
    allowance.settle({ answered, charged: verdict.optimized, cpuMs }, sent);
    isSettled = true;
    return c.body(body, 200, {
      ...pictureHeaders(outcome, verdict, upload.name),
      'Server-Timing': `optimize;dur=${Date.now() - started}`,
      ...(upload.options.format === 'auto' && { Vary: 'Accept' }),
      ...allowance.remaining(verdict.optimized),
    });
  } finally {
    upload?.held.end();
    job?.end();
    if (!isSettled) c.executionCtx.waitUntil(repeated(() => allowance.giveBack()));
  }
}

import type { Context } from 'hono';
import { clientNetwork, pseudonymous } from '../access/network.ts';
import { ApiError } from '../errors.ts';
import type { Work } from '../image/engine.ts';
import { type TrialTerms, trialLimits, trialTerms } from '../policy/limits.ts';
import { trialAccount } from '../policy/turns.ts';
import { returnTrial, type TrialResult, takeTrial } from '../store/trials.ts';
import type { AppEnv } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { demandHuman, turnstileField } from './http/turnstile.ts';
import { withRetries } from './optimize/bookkeeping.ts';
import { pictureResponse, trialExchange } from './optimize/exchange.ts';
import { trialHeaders } from './optimize/picture-headers.ts';
import { turns } from './optimize/scheduler.ts';
import { type Allowance, respondingWithPicture, serveImage } from './optimize/serve.ts';

const contract = defineRoute({
  ...trialExchange,
  path: '/v1/try',
  operationId: 'tryImage',
  tags: ['Optimize'],
  summary: 'Make an image smaller, without an account',
  credential: 'none',
  rateLimit: 'TRY_RATE_LIMIT',
  responses: { 200: pictureResponse(trialHeaders) },
});

const { maxFileBytes } = trialLimits;
const rules = { maxFileBytes, sources: null, fields: [turnstileField] };

/** POST /v1/try: the call that the front page makes. */
export const trial = createRouter();

handleRaw(trial, contract, async (c) => {
  demandOwnPage(c);
  const { trialFilesPerDay, codeSecret } = c.var.config;
  if (trialFilesPerDay === 0)
    throw new ApiError(
      'not_found',
      'Trying images without an account is turned off here: sign in.',
    );
  const now = Date.now();
  const terms = trialTerms(now, trialFilesPerDay);
  const visitor = await pseudonymous(clientNetwork(c.req), codeSecret);
  const job = await turns.arrive(trialAccount, c.req.raw.signal);
  try {
    const result = await takeTrial(c.env.DB, visitor, terms);
    if (result.kind === 'none-left') throw noneLeft(result, terms, now);
    const allowance = takenTrial(c, result);
    const exchange = respondingWithPicture(c, allowance, rules, 'Trial-Remaining');
    return await serveImage(c, job, allowance, exchange);
  } finally {
    job.end();
  }
});

/**
 * Rejects calls that do not come from a page of this origin. A program could send these headers as well, but no page of
 * another site can, so nobody can offer this call to others as an API.
 * @throws ApiError `origin_not_allowed`
 */
function demandOwnPage(c: Context<AppEnv>): void {
  const isOwn =
    c.req.header('Sec-Fetch-Site') === 'same-origin' &&
    c.req.header('Origin') === new URL(c.req.url).origin;
  if (isOwn) return;
  throw new ApiError(
    'origin_not_allowed',
    'Only the front page can make this call: sign in, and use POST /v1/optimize with an API key.',
  );
}

function noneLeft(
  { ofAll }: Extract<TrialResult, { kind: 'none-left' }>,
  { tomorrow }: TrialTerms,
  now: number,
): ApiError {
  const detail = ofAll
    ? 'All trial images for visitors are used up for today: sign in to continue.'
    : `Your network has used up its ${trialLimits.perNetwork} trial images for today: sign in to continue.`;
  const seconds = Math.max(1, Math.ceil((tomorrow - now) / 1000));
  return new ApiError('trial_limit_reached', detail, {
    headers: { 'Retry-After': String(seconds) },
  });
}

function takenTrial(
  c: Context<AppEnv>,
  { id, left }: Extract<TrialResult, { kind: 'taken' }>,
): Allowance {
  return {
    account: trialAccount,
    async permit({ fields }, work) {
      if (work.cpuMs > trialLimits.maxCpuMs) throw tooMuchWork(work);
      await demandHuman(c, fields.get(turnstileField));
    },
    // The trial was taken at the start, so there is nothing to settle.
    settle() {},
    giveBack() {
      const returned = withRetries(() => returnTrial(c.env.DB, id));
      // A trial that cannot be given back is lost for today.
      c.executionCtx.waitUntil(returned.catch(() => {}));
    },
    remaining: () => left,
  };
}

function tooMuchWork({ inputSize: { width, height }, cpuMs }: Work): ApiError {
  const limit_pixels = Math.floor((width * height * trialLimits.maxCpuMs) / cpuMs);
  return new ApiError(
    'image_too_large',
    `Without an account, work on an image can take up to ${trialLimits.maxCpuMs / 1000} seconds, and this one would take longer: choose another format or a smaller width, or sign in.`,
    { members: { width, height, limit_pixels } },
  );
}

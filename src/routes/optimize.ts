import type { Context } from 'hono';
import { bodyLimits } from '../policy/limits.ts';
import { newId } from '../store/database.ts';
import type { AppEnv } from './http/context.ts';
import { createRouter, defineRoute, handleRaw } from './http/contract.ts';
import { authRequired, refuseKey } from './http/credentials.ts';
import { exchange, pictureResponse } from './optimize/exchange.ts';
import { quotaHeaders } from './optimize/picture-headers.ts';
import { allowanceOf, type FileRequest, reserveFile } from './optimize/reservation.ts';
import { turns } from './optimize/scheduler.ts';
import { respondingWithPicture, serveImage } from './optimize/serve.ts';

const picture = pictureResponse(quotaHeaders);

/** POST /v1/optimize, for programs with a key. */
const contract = defineRoute({
  ...exchange,
  path: '/v1/optimize',
  operationId: 'optimize',
  tags: ['Optimize'],
  summary: 'Make an image smaller',
  credential: 'api-key',
  problems: [...exchange.problems, 'key_limit_exceeded'],
  responses: { 200: picture },
});

/** POST /v1/me/optimize, for uploads in the cabinet, which count against the user's quota, too. */
const cabinetContract = defineRoute({
  ...exchange,
  path: '/v1/me/optimize',
  operationId: 'optimizeSignedIn',
  tags: ['Account'],
  summary: 'Make an image smaller, signed in',
  description: `${exchange.description} For an hour after that, the same image is not charged again.`,
  credential: 'session',
  responses: { 200: picture },
});

/** The routes that optimize an image: with a key for programs, with the session cookie for the cabinet. */
export const optimize = createRouter();

handleRaw(optimize, contract, async (c) => {
  const { key } = c.var;
  const { hash: keyHash, mailboxId } = key;
  const caller = { keyHash };
  const refuse = (isExpired: boolean) => refuseKey(c, isExpired ? null : key);
  return serve(c, { id: newId('res'), mailboxId, caller, refuse }, null);
});

handleRaw(optimize, cabinetContract, async (c) => {
  const { userId, mailboxId } = c.var.session;
  const refuse = () => {
    throw authRequired();
  };
  return serve(c, { id: newId('res'), mailboxId, caller: { userId }, refuse }, 'image');
});

/** @param once what is charged only once per hour; null: every request is charged */
async function serve<RouteEnv extends AppEnv>(
  c: Context<RouteEnv>,
  fileRequest: FileRequest,
  once: 'image' | null,
): Promise<Response> {
  const job = await turns.arrive(fileRequest.mailboxId, c.req.raw.signal);
  try {
    const allowance = allowanceOf(c, await reserveFile(c, fileRequest), once);
    const { maxFileBytes } = bodyLimits;
    const rules = { maxFileBytes, sources: c.var.config, fields: [] };
    const exchange = respondingWithPicture(c, allowance, rules, 'Quota-Remaining');
    return await serveImage(c, job, allowance, exchange);
  } finally {
    job.end();
  }
}

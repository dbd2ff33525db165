import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { clearDeviceCookie } from '../access/device.ts';
import { normalizeEmailAddress } from '../access/email-address.ts';
import { pseudonym } from '../access/hashing.ts';
import { clearSessionCookie } from '../access/session.ts';
import { quotaTerms } from '../policy/quota.ts';
import { eraseAccount, findAccount } from '../store/accounts.ts';
import { chooseQuotaMails } from '../store/quota-mails.ts';
import { forgetSession } from '../store/sessions.ts';
import { sweepSite } from '../store/site-upkeep.ts';
import type { SignedInEnv } from './http/context.ts';
import { createRouter, defineRoute } from './http/contract.ts';
import { authRequired } from './http/credentials.ts';
import { askKeyLog, askMeter } from './http/meter.ts';
import {
  id,
  jsonRequest,
  jsonResponse,
  setsCookie,
  success,
  timestamp,
} from './http/openapi-parts.ts';
import { invalidRequest } from './http/problems.ts';
import { waitForBookings } from './optimize/bookkeeping.ts';
import { describeQuota, findBalance, quotaFigures } from './quota.ts';
import { publishChange, sweepLater } from './sites/publish-change.ts';

const tags = ['Account'];

/** The signed-in user. */
export const accountSchema = z.object({
  user_id: id('usr'),
  email: z.string().openapi({
    description: 'Normalized: in lower case, without a `+` and what follows it before the `@`.',
    example: 'you@gmail.com',
  }),
  ...quotaFigures.shape,
  quota_mails: z.boolean().openapi({
    description: 'Whether mails are sent when a quota runs low or out.',
  }),
  created_at: timestamp.openapi({ example: '2026-11-20T16:31:00.000Z' }),
});

const show = defineRoute({
  method: 'get',
  path: '/v1/me',
  operationId: 'getAccount',
  tags,
  summary: 'Get the signed-in user and the remaining quota',
  credential: 'session',
  responses: {
    200: jsonResponse('The user of the session.', accountSchema),
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/v1/me',
  operationId: 'updateAccount',
  tags,
  summary: 'Turn mails about the quota on or off',
  description:
    'A mail is sent when 80% of the month’s free files are used and when all of them are, if there are no paid files; and when 20% of the latest pack is left and when nothing is. Each is sent at most once. Every mail also has a link that turns them off.',
  credential: 'session',
  request: {
    body: jsonRequest(z.object({ quota_mails: z.boolean('should be true or false') }), {
      quota_mails: false,
    }),
  },
  responses: {
    200: jsonResponse('The user of the session.', accountSchema),
  },
});

const erase = defineRoute({
  method: 'delete',
  path: '/v1/me',
  operationId: 'deleteAccount',
  tags,
  summary: 'Delete the account, its keys, its sites and its sessions',
  description:
    'Ends every session, revokes every key, deletes every site with what is kept of it, so that its URLs answer 404, and erases the email address, the names, comments and secrets of keys, and the requests that were made with them. Statistics are kept without any link to a person. This cannot be undone.',
  credential: 'session',
  request: {
    body: jsonRequest(
      z.object({
        confirm: z.string().openapi({ description: 'The account’s email address.' }),
      }),
      { confirm: 'you@gmail.com' },
    ),
  },
  responses: {
    200: jsonResponse(
      'The account is deleted, along with all its paid files.',
      success,
      setsCookie('Clears `sid` and `device`.'),
    ),
  },
});

/** The account of the signed-in user. */
export const me = createRouter();

me.openapi(show, async (c) => c.json(await describeAccount(c), 200));

me.openapi(change, async (c) => {
  const { userId } = c.var.session;
  await chooseQuotaMails(c.env.DB, { userId, isWanted: c.req.valid('json').quota_mails });
  return c.json(await describeAccount(c), 200);
});

/** @throws ApiError `auth_required` if the account was deleted meanwhile */
async function describeAccount(c: Context<SignedInEnv>): Promise<z.infer<typeof accountSchema>> {
  const { userId, mailboxId } = c.var.session;
  await waitForBookings(mailboxId);
  const terms = quotaTerms(Date.now(), c.var.config);
  const account = await findAccount(c.env.DB, { userId }, terms);
  if (!account) throw authRequired();
  // The meter may already have deleted the account when D1 has not: the deletion can be repeated here.
  const balance = (await findBalance(c, account, { userId }, terms)) ?? account.balance;
  const { email, plan, wantsQuotaMails: quota_mails, createdAt } = account;
  const created_at = new Date(createdAt).toISOString();
  return {
    user_id: userId,
    email,
    ...describeQuota(plan, balance, terms),
    quota_mails,
    created_at,
  };
}

me.openapi(erase, async (c) => {
  const { hash, email, userId, mailboxId } = c.var.session;
  if (normalizeEmailAddress(c.req.valid('json').confirm) !== email) {
    throw invalidRequest([
      { path: ['confirm'], message: 'should be the email address of this account' },
    ]);
  }
  const address = await pseudonym('address', email, c.var.config.codeSecret);
  // First in the meter, which enforces it: whatever fails after that can be repeated.
  await askMeter(c, mailboxId, (meter) => meter.erase(userId));
  await askKeyLog(c, mailboxId, (log) => log.erase(userId));
  const sites = await eraseAccount(c.env.DB, { userId, address }, Date.now());
  await Promise.all(sites.map((site) => publishChange(c, site)));
  for (const { id } of sites) sweepLater(c, () => sweepSite(c.env, id));
  c.executionCtx.waitUntil(forgetSession(c.env.KV, hash));
  clearSessionCookie(c);
  clearDeviceCookie(c);
  return c.json({ success: true as const }, 200);
});

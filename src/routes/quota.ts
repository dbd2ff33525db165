import { createRoute } from '@hono/zod-openapi';
import { quotaTerms } from '../policy/quota.ts';
import { note } from '../request-log.ts';
import { findAccount } from '../store/accounts.ts';
import { jsonResponse } from './contracts/json.ts';
import { problemResponses } from './contracts/problem-responses.ts';
import { describeQuota, quotaFigures } from './contracts/quota-figures.ts';
import { createRouter } from './contracts/router.ts';
import { refuseKey, requireApiKey } from './gates/api-key.ts';
import { upToDate } from './optimize/bookkeeping.ts';

const contract = createRoute({
  method: 'get',
  path: '/v1/quota',
  operationId: 'getQuota',
  tags: ['Optimize'],
  summary: 'See what is left of the quota',
  description: 'Free of charge: the way to test a key.',
  security: [{ apiKey: [] }],
  responses: {
    200: jsonResponse('Of the user whose key it is.', quotaFigures),
    ...problemResponses(
      'key_in_query',
      'invalid_api_key',
      'too_many_requests',
      'internal_error',
      'overloaded',
    ),
  },
});

/** GET /v1/quota, for programs. */
export const quota = createRouter().openapi(contract, async (c) => {
  const keyHash = await requireApiKey(c);
  const terms = quotaTerms(Date.now(), c.var.config);
  const found = await findAccount(c.env.DB, { keyHash }, terms);
  if (!found) return refuseKey(c);
  if (found.keyId !== null) note(c, { key_id: found.keyId });
  const isStale = await upToDate(found.userId);
  const account = isStale ? await findAccount(c.env.DB, { keyHash }, terms) : found;
  if (!account) return refuseKey(c);
  return c.json(describeQuota(account, terms), 200);
});

import { createRoute } from '@hono/zod-openapi';
import { quotaTerms } from '../policy/quota.ts';
import { findAccount } from '../store/accounts.ts';
import { refuseKey, requireApiKey } from './api-key-gate.ts';
import { upToDate } from './bookkeeping.ts';
import { problemResponses } from './problem-responses.ts';
import { describeQuota, quotaFigures } from './quota-figures.ts';
import { createRouter } from './router.ts';

const contract = createRoute({
  method: 'get',
  path: '/v1/quota',
  tags: ['Optimize'],
  summary: 'What is left of the quota; free of charge, the way to test a key',
  security: [{ apiKey: [] }],
  responses: {
    200: {
      description: 'Of the user whose key it is.',
      content: { 'application/json': { schema: quotaFigures } },
    },
    ...problemResponses('key_in_query', 'invalid_api_key', 'too_many_requests'),
  },
});

/** GET /v1/quota, for programs. */
export const quota = createRouter().openapi(contract, async (c) => {
  const keyHash = await requireApiKey(c);
  const terms = quotaTerms(Date.now(), c.var.config);
  const found = await findAccount(c.env.DB, { keyHash }, terms);
  if (!found) return refuseKey(c);
  const isStale = await upToDate(found.userId);
  const account = isStale ? await findAccount(c.env.DB, found, terms) : found;
  return c.json(describeQuota(account ?? found, terms), 200);
});

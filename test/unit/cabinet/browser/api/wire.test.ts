import { describe, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as wire from '../../../../../src/cabinet/browser/api/wire.ts';
import type { codeRequested } from '../../../../../src/routes/auth/request-code.ts';
import type { problemSchema } from '../../../../../src/routes/http/problems.ts';
import type { requestList } from '../../../../../src/routes/key-requests.ts';
import type { keyRecord } from '../../../../../src/routes/keys/key-record.ts';
import type { accountSchema } from '../../../../../src/routes/me.ts';
import type * as payments from '../../../../../src/routes/payments.ts';
import type { quotaFigures } from '../../../../../src/routes/quota.ts';
import type { checkRecord } from '../../../../../src/routes/sites/check.ts';
import type { siteRecord } from '../../../../../src/routes/sites/described-site.ts';
import type { statisticsSchema } from '../../../../../src/routes/statistics.ts';

/** The body of a route's 200 response. */
type Answered<Route extends { responses: { 200: { content: object } } }> =
  Route['responses'][200]['content'] extends { 'application/json': { schema: infer Schema } }
    ? z.infer<Schema>
    : never;

/** Compile-time checks only: the types that the cabinet expects match the contract. */
describe('the cabinet knows the shape', () => {
  it('of an account and its quota', () => {
    expectTypeOf<z.infer<typeof quotaFigures>>().toExtend<wire.Quota>();
    expectTypeOf<z.infer<typeof accountSchema>>().toExtend<wire.Me>();
  });

  it('of a code that was asked for', () => {
    expectTypeOf<z.infer<typeof codeRequested>>().toExtend<wire.CodeRequested>();
  });

  it('of a key', () => {
    expectTypeOf<z.infer<typeof keyRecord>>().toExtend<wire.KeyRecord>();
  });

  it('of the requests of a key', () => {
    expectTypeOf<z.infer<typeof requestList>>().toExtend<wire.KeyRequests>();
  });

  it('of a site, and of an image of it', () => {
    expectTypeOf<z.infer<typeof siteRecord>>().toExtend<wire.SiteRecord>();
    expectTypeOf<z.infer<typeof checkRecord>>().toExtend<wire.SiteCheck>();
  });

  it('of statistics', () => {
    expectTypeOf<z.infer<typeof statisticsSchema>>().toExtend<wire.Statistics>();
  });

  it('of packs and payments', () => {
    expectTypeOf<Answered<typeof payments.packs>>().not.toBeNever();
    expectTypeOf<Answered<typeof payments.packs>>().toExtend<wire.List<wire.Pack>>();
    expectTypeOf<Answered<typeof payments.list>>().not.toBeNever();
    expectTypeOf<Answered<typeof payments.list>>().toExtend<wire.List<wire.Payment>>();
  });

  it('of an error', () => {
    expectTypeOf<z.infer<typeof problemSchema>>().toExtend<wire.Problem>();
  });
});

import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as wire from '../../../../../src/cabinet/browser/api/wire.ts';
import type { quotaFigures } from '../../../../../src/routes/contracts/quota-figures.ts';
import type { keyRecord } from '../../../../../src/routes/keys/record.ts';
import type { statisticsSchema } from '../../../../../src/routes/statistics/contract.ts';

/** Types alone are compared here, by tsc: what the cabinet expects is what the contract says. */
it('the cabinet knows the shapes of the contract', () => {
  expectTypeOf<z.infer<typeof keyRecord>>().toExtend<wire.KeyRecord>();
  expectTypeOf<z.infer<typeof quotaFigures>>().toExtend<wire.Quota>();
  expectTypeOf<z.infer<typeof statisticsSchema>>().toExtend<wire.Statistics>();
});

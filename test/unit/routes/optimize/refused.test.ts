import { expect, it } from 'vitest';
import { errorTable } from '../../../../src/errors.ts';
import { defaultOptions } from '../../../../src/image/pipeline/options.ts';
import { refused } from '../../../../src/routes/optimize/shrink.ts';
import { jpeg, sourceOf } from '../../../support/inspections.ts';

it('a size that is out of reach is told, with what is in reach', () => {
  const smallestBytes = 48_120;
  const refusal = { kind: 'refused', reason: 'max-bytes', smallestBytes } as const;
  const error = refused(refusal, sourceOf(jpeg()), { ...defaultOptions, maxBytes: 20_000 });
  expect(error.code).toBe('max_bytes_unreachable');
  expect(error.members).toEqual({ smallest_bytes: 48_120 });
  // the documented example is what is really said
  expect(error.message).toBe(errorTable.max_bytes_unreachable.detail);
});

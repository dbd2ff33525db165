import { describe, expect, it } from 'vitest';
import { presetErrors, presetLimits } from '../../../../../src/cabinet/browser/delivery/presets.ts';
import { isSlug } from '../../../../../src/cabinet/browser/delivery/site-address.ts';
import { cacheTimes } from '../../../../../src/cabinet/browser/delivery/site-draft.ts';
import { siteLimits } from '../../../../../src/policy/limits.ts';
import {
  cacheSecondsField,
  presetsField,
  slugField,
} from '../../../../../src/routes/sites/site-fields.ts';

describe('what the cabinet knows of sites is what the service does:', () => {
  it.each([
    'abc',
    'ab',
    'a'.repeat(40),
    'a'.repeat(41),
    'a-b',
    '-ab',
    'ab-',
    'a--b',
    'Abc',
    'a_b',
    'ä-b',
  ])('which slug is one (%s)', (slug) =>
    expect(isSlug(slug)).toBe(slugField.safeParse(slug).success),
  );

  it.each(['card', 'a', '-', 'a'.repeat(32), 'a'.repeat(33), '', 'Card', 'a b', 'a_b'])(
    'which name of a preset is one (%j)',
    (name) => {
      const { name: error } = presetErrors({ name, options: 'w_1' }, {}, null);
      expect(error === undefined).toBe(presetsField.safeParse({ [name]: 'w_1' }).success);
    },
  );

  it('how many presets there may be, and how long they are', () => {
    expect(presetLimits.count).toBe(siteLimits.presets);
    const options = (length: number) => `w_1,b_${'0'.repeat(length - 6)}`;
    const tooLong = JSON.stringify(
      presetsField.safeParse({ a: options(presetLimits.options + 1) }),
    );
    expect(tooLong).toContain(`at most ${presetLimits.options} characters`);
    const longest = JSON.stringify(presetsField.safeParse({ a: options(presetLimits.options) }));
    expect(longest).not.toContain('at most');
  });

  it('how long results may be fresh', () => {
    for (const { seconds } of cacheTimes(60)) {
      expect(cacheSecondsField.safeParse(seconds).success).toBe(true);
    }
  });
});

import { expect, it } from 'vitest';
import { agoText } from '../../../../src/cabinet/text/formatting.ts';

it('what has happened is past, though the clock is behind the service’s', () => {
  const now = Date.parse('2026-11-20T16:31:00.000Z');
  expect(agoText('2026-11-20T16:00:00.000Z', now)).toBe('31 minutes ago');
  expect(agoText('2026-11-20T16:36:00.000Z', now)).toBe('just now');
  expect(agoText('2026-11-22T16:36:00.000Z', now)).toBe('just now');
});

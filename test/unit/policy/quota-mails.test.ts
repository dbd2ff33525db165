import { describe, expect, it } from 'vitest';
import { type DueMail, dueFreeMails, duePackMails } from '../../../src/policy/quota.ts';

const kinds = (mails: readonly DueMail[]) => mails.map(([kind, period]) => `${kind} ${period}`);

describe('a mail about the free files', () => {
  it.each([
    ['not due before 80 %', 7, 10, []],
    ['due from then on', 8, 10, ['free-low 2026-11']],
    ['followed by another one at the end', 10, 10, ['free-low 2026-11', 'free-used-up 2026-11']],
    ['due at the last of three files', 2, 3, []],
    ['never due where there are none', 0, 0, []],
  ])('is %s', (_, used, limit, expected) => {
    expect(kinds(dueFreeMails({ month: '2026-11', used, limit }))).toEqual(expected);
  });
});

describe('a mail about a pack', () => {
  it.each([
    ['not due with more than 20 % left', 201, []],
    ['due at 20 %', 200, ['pack-low pay_1']],
    ['followed by another one at the end', 0, ['pack-low pay_1', 'pack-used-up pay_1']],
  ])('is %s', (_, left, expected) => {
    expect(kinds(duePackMails({ id: 'pay_1', granted: 1000, left }))).toEqual(expected);
  });
});

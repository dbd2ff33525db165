import { describe, expect, it } from 'vitest';
import { ApiError, definitionOf, errorAreas, errorCodes, membersOf } from '../../src/errors.ts';
import { problemMembers } from '../../src/problem-members.ts';

const table = errorCodes.map((code) => ({ code, ...definitionOf(code) }));

describe('the table of errors', () => {
  it.each(table)('$code has whole sentences', ({ title, when, help, detail }) => {
    expect(title).toMatch(/^[A-Z].*[^.]$/);
    for (const text of [when, help, detail]) expect(text).toMatch(/^["A-Z].*\.$/s);
  });

  it.each(table)('$code says what to do without a figure, which may change', ({ help }) => {
    expect(help.replace(/`[^`]*`/g, '')).not.toMatch(/\d/);
  });

  it('is in the order of the status', () => {
    const statuses = table.map(({ status }) => status);
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
  });

  it('has errors in every area, and a code for every member', () => {
    const areas = new Set(table.map(({ area }) => area));
    expect([...areas].sort()).toEqual(errorAreas.map(({ id }) => id).sort());
    const members = new Set(errorCodes.flatMap(membersOf));
    expect([...members].sort()).toEqual(Object.keys(problemMembers).sort());
  });
});

it('an error has the detail of the table unless another is given', () => {
  expect(new ApiError('key_not_active').message).toBe(definitionOf('key_not_active').detail);
  expect(new ApiError('key_not_active', 'No.').message).toBe('No.');
});

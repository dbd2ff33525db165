import { describe, expect, it } from 'vitest';
import { errorHelp } from '../../../../../src/cabinet/pages/docs/error-help.ts';
import { definitionOf } from '../../../../../src/errors.ts';
import { listedErrors } from '../../../../../src/routes/docs/listed-errors.ts';

describe('the errors of the documentation', () => {
  it.each(Object.entries(errorHelp))('%s says what to do without a figure', (_, { action }) => {
    expect(action).toMatch(/^[A-Z].*\.$/);
    expect(action.replace(/`[^`]*`/g, '')).not.toMatch(/\d/);
  });

  it.each(listedErrors)('$code has the members of its example', ({ code, members }) => {
    const shown = Object.keys(definitionOf(code).members ?? {});
    expect(members.map(({ name }) => name)).toEqual(shown);
  });
});

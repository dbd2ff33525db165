import { describe, expect, it } from 'vitest';
import { errorHelp } from '../../../../../src/cabinet/pages/docs/error-help.ts';
import { problemCatalogue } from '../../../../../src/routes/contracts/problem-catalogue.ts';
import { membersOf } from '../../../../../src/routes/contracts/problem-members.ts';
import { listedErrors } from '../../../../../src/routes/docs/listed-errors.ts';

describe('the errors of the documentation', () => {
  it.each(Object.entries(errorHelp))('%s says what to do without a figure', (_, { action }) => {
    expect(action).toMatch(/^[A-Z].*\.$/);
    expect(action.replace(/`[^`]*`/g, '')).not.toMatch(/\d/);
  });

  it.each(listedErrors)('$code has the members of its example', ({ code, members }) => {
    const shown = Object.keys(problemCatalogue[code].members ?? {});
    expect(members.map(({ name }) => name)).toEqual(shown);
    expect(members).toEqual(membersOf(code));
  });
});

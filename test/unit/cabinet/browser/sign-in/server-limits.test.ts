import { expect, it } from 'vitest';
import { codeLife } from '../../../../../src/access/sign-in-code.ts';
import { defaultAnswer } from '../../../../../src/cabinet/browser/sign-in/code-request.ts';
import { codeLengths, maxAttempts } from '../../../../../src/cabinet/browser/sign-in/typed-code.ts';
import { codePolicy } from '../../../../../src/policy/limits.ts';

it('what the form knows of codes is what the service does', () => {
  expect(codeLengths).toEqual(codePolicy.digits);
  expect(maxAttempts).toBe(codePolicy.wrong.perChallenge);
  expect(defaultAnswer).toEqual({
    success: true,
    expires_in: codeLife,
    retry_after: codePolicy.requests.coolDown.window / 1000,
  });
});

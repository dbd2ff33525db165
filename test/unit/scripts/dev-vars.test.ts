import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { lackingSecrets } from '../../../scripts/local/secrets.ts';

const secret = expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/);
const versioned = expect.stringMatching(/^1:[A-Za-z0-9+/]{43}=$/);
const versions = { KEY_SECRETS: versioned, TOKEN_SECRETS: versioned };

describe('what .dev.vars lacks', () => {
  it.each(['', '# secrets\n', '# secrets', 'OTHER="x"', 'OTHER=x\r\n'])(
    'is appended on lines of its own: %j',
    (present) => {
      const { OTHER: _, ...made } = parseEnv(present + lackingSecrets(present));
      expect(made).toEqual({ CODE_SECRET: secret, ...versions });
    },
  );

  it('is not what is there already, in whatever way it is written', () => {
    const present = 'export CODE_SECRET = mine';
    const all = parseEnv(present + lackingSecrets(present));
    expect(all).toEqual({ CODE_SECRET: 'mine', ...versions });
    expect(lackingSecrets('CODE_SECRET=a\nKEY_SECRETS=b\nTOKEN_SECRETS=c')).toBe('');
  });
});

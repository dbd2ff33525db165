import { describe, expect, it } from 'vitest';
import { snippets } from '../../../../src/cabinet/text/snippets.ts';

const origin = 'https://img.example';
const languages = ['curl', 'Node', 'Python', 'PHP'];

/** How each language reads the environment variable. */
const fromEnvironment: Readonly<Record<string, string>> = {
  curl: '$KEY',
  Node: 'process.env.KEY',
  Python: 'os.environ["KEY"]',
  PHP: "getenv('KEY')",
};

describe('code to copy', () => {
  it('has the key in it that it was made for, and no trace of the environment', () => {
    const made = snippets(origin, 'imgo_abc');
    expect(made.map(({ name }) => name)).toEqual(languages);
    for (const { name, code } of made) {
      expect(code, name).toContain('Bearer imgo_abc');
      expect(code, name).not.toContain(fromEnvironment[name]);
      expect(code, name).toContain(`${origin}/v1/optimize`);
    }
  });

  it('takes the key from the environment otherwise', () => {
    const made = snippets(origin, null);
    expect(made.map(({ name }) => name)).toEqual(languages);
    for (const { name, code } of made) {
      expect(code, name).toContain(fromEnvironment[name]);
      expect(code, name).not.toContain('null');
      expect(code, name).toContain(`${origin}/v1/optimize`);
    }
  });

  it('asks for nothing that a large photo could not have', () => {
    for (const { code } of snippets(origin, null)) {
      expect(code).not.toMatch(/format|params|\?width/);
    }
  });

  it('writes no error in the place of the image', () => {
    const curl = snippets(origin, null).find(({ name }) => name === 'curl');
    expect(curl?.code).toContain('--fail ');
  });

  it('imports what Python needs for the environment', () => {
    const python = snippets(origin, null).find(({ name }) => name === 'Python');
    expect(python?.code).toMatch(/^import os\nimport requests\n/);
  });

  it('never puts a key into a query', () => {
    for (const { code } of snippets(origin, 'imgo_abc')) {
      expect(code).not.toMatch(/\?[^"'\n]*(imgo_|KEY)/);
    }
  });
});

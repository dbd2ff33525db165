import { describe, expect, it } from 'vitest';
import { snippets } from '../../../../src/cabinet/text/snippets.ts';

const origin = 'https://img.example';
const languages = ['curl', 'Node', 'Python', 'PHP', 'Go', 'Ruby'];

/** How each language reads the environment variable. */
const fromEnvironment: Readonly<Record<string, string>> = {
  curl: '$KEY',
  Node: 'process.env.KEY',
  Python: 'os.environ["KEY"]',
  PHP: "getenv('KEY')",
  Go: 'os.Getenv("KEY")',
  Ruby: "ENV['KEY']",
};

describe('code to copy', () => {
  it('has the key in it that it was made for, and no trace of the environment', () => {
    const made = snippets(origin, 'fewer_abc');
    expect(made.map(({ name }) => name)).toEqual(languages);
    for (const { name, code } of made) {
      expect(code, name).toContain('Bearer fewer_abc');
      expect(code, name).not.toContain(fromEnvironment[name]);
      expect(code, name).toContain(`${origin}/v1/optimize`);
    }
  });

  it('takes the key from the environment otherwise', () => {
    const made = snippets(origin, null);
    expect(made.map(({ name }) => name)).toEqual(languages);
    for (const { name, code } of made) {
      expect(code, name).toContain(fromEnvironment[name]);
      expect(code, name).not.toContain('null,');
      expect(code, name).toContain(`${origin}/v1/optimize`);
    }
  });

  it('asks for nothing that a large photo could not have', () => {
    for (const { code } of snippets(origin, null)) {
      expect(code).not.toMatch(/format=|params|\?width/);
    }
  });

  it.each([
    ['', 'smaller.jpg'],
    ['width=800', 'smaller.jpg'],
    ['format=keep', 'smaller.jpg'],
    ['format=jpeg', 'smaller.jpg'],
    ['format=webp&width=800', 'smaller.webp'],
    ['width=800&format=avif', 'smaller.avif'],
    ['format=auto', 'smaller'],
  ])('with the options "%s" writes %s', (query, file) => {
    for (const { name, code } of snippets(origin, null, query)) {
      expect(/\/v1\/optimize(?:\?([^"']*))?/.exec(code)?.[1] ?? '', name).toBe(query);
      // As an argument, not the variable with the same name.
      const [, written] = /(?:["']|mv answer )(smaller[.a-z]*)(?:["' ]|$)/.exec(code) ?? [];
      expect(written, name).toBe(file);
    }
  });

  it('imports what Python needs for the environment, and nothing else', () => {
    const python = (key: string | null) =>
      snippets(origin, key).find(({ language }) => language === 'python')?.code;
    expect(python(null)).toMatch(/^import os\nimport sys\n/);
    expect(python('fewer_abc')).toMatch(/^import sys\n/);
  });

  it('does not close the terminal that it is pasted into', () => {
    const [curl] = snippets(origin, null);
    expect(curl?.code).not.toContain('exit');
  });

  it('is short', () => {
    for (const { name, code } of snippets(origin, null)) {
      expect(code.split('\n').length, name).toBeLessThanOrEqual(name === 'Go' ? 41 : 22);
    }
  });

  it('never puts a key into a query', () => {
    for (const { code } of snippets(origin, 'fewer_abc', 'width=800')) {
      expect(code).not.toMatch(/\?[^"'\n]*(fewer_|KEY)/);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { docsPages } from '../../../src/cabinet/pages/docs/contents.ts';
import { fencesOf } from '../../support/docs/code.ts';

const readme = fencesOf('../README.md');
const fences = [
  ...readme,
  ...docsPages.flatMap(({ file }) => (file === null ? [] : fencesOf(file))),
];
const shell = fences.filter(({ language }) => language === 'sh');
const retrying = fencesOf('README.md').filter(({ code }) => /retry|attempt/i.test(code));

describe('code of the documentation', () => {
  it('is there', () => {
    expect(shell.length).toBeGreaterThan(20);
  });

  it.each(shell.filter(({ code }) => / -o (?!pipefail)/.test(code)))(
    'writes no error in the place of the image: $code',
    ({ code }) => {
      // The latter is code that checks the status before it moves the file.
      expect(code).toMatch(/--fail|-o answer\.tmp/);
    },
  );

  it('begins with npm start in the README, and makes its key before it is used', () => {
    const [first, second] = readme;
    expect(first?.code).toMatch(/^npm start\b/);
    expect(first?.code).not.toContain('$');
    expect(second?.code).toMatch(/^KEY=\$\(npm run -s key/);
  });

  it('never puts a key into a query', () => {
    for (const { code } of fences) expect(code).not.toMatch(/\?[^"'\n]*(fewer_|KEY)/);
  });

  it('retries in four languages, with the key from the environment, and for any photo', () => {
    expect(retrying.map(({ language }) => language)).toEqual(['sh', 'js', 'python', 'php']);
    const keys = ['$KEY', 'process.env.KEY', 'os.environ["KEY"]', "getenv('KEY')"];
    for (const [i, { code }] of retrying.entries()) {
      expect(code).toContain(keys[i]);
      expect(code).toContain('http://localhost:8787/v1/optimize');
      expect(code).not.toMatch(/format=|params|\?width/);
    }
  });

  it('keeps the original when curl gives up', () => {
    expect(retrying[0]?.code).toMatch(/\|\| cp photo\.jpg smaller\.jpg$/);
  });
});

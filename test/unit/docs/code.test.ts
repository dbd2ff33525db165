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

  it.each(shell.filter(({ code }) => /\bcurl\b/.test(code)))(
    'shows an error, and writes none in the place of an image: $code',
    ({ code }) => {
      for (const call of code.match(/curl -.*/g) ?? [])
        expect(call).toContain('-sS --fail-with-body ');
      for (const [, file] of code.matchAll(/ -o (\S+)/g)) expect(file).toMatch(/^answer$|\.part"$/);
      const answers = code.match(/(?:>|-o) (answer|"\$1\.part")/g) ?? [];
      if (answers.length > 0) expect(code).toMatch(/\|\| [({] ?cat (answer|"\$1\.part");/);
    },
  );

  it('begins with a clone and npm start in the README, and makes its key before it is used', () => {
    const [first, second] = readme;
    expect(first?.code).toMatch(/^git clone .*\nnpm start\b/);
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
    expect(retrying[0]?.code).toMatch(/\|\| \(cat answer; cp photo\.jpg smaller\.jpg\)$/);
  });
});

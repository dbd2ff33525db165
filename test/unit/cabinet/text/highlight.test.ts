import { describe, expect, it } from 'vitest';
import { highlight, type Language } from '../../../../src/cabinet/text/highlight.ts';
import { snippets } from '../../../../src/cabinet/text/snippets.ts';

/** The parts of code of one kind. */
function marked(code: string, language: Language, kind: string): string[] {
  return highlight(code, language)
    .filter((token) => token.kind === kind)
    .map(({ text }) => text);
}

describe('the syntax of code', () => {
  it.each(snippets('https://img.example', null, 'format=webp'))(
    'is marked in $name, and the code stays what it was',
    ({ code, language }) => {
      const tokens = highlight(code, language);
      expect(tokens.map(({ text }) => text).join('')).toBe(code);
      expect(tokens.some(({ kind }) => kind === 'string')).toBe(true);
      const other = language === 'sh' ? 'variable' : 'keyword';
      expect(tokens.some(({ kind }) => kind === other)).toBe(true);
    },
  );

  it('is that of the language', () => {
    expect(marked('const a = await f(1);', 'js', 'keyword')).toEqual(['const', 'await']);
    expect(marked('{"a": "b", "c": 1}', 'json', 'variable')).toEqual(['"a"', '"c"']);
    expect(marked('{"a": "b", "c": 1}', 'json', 'string')).toEqual(['"b"']);
    expect(marked('a = 1 # one', 'toml', 'comment')).toEqual(['# one']);
  });

  it('of a string ends where code is put into it', () => {
    expect(marked('"a #{b} c"', 'ruby', 'string')).toEqual(['"a ', ' c"']);
    expect(marked('echo "a $b"', 'sh', 'variable')).toEqual(['$b']);
  });

  it('of a message is its first line and its headers', () => {
    const response = 'HTTP/1.1 200 OK\nContent-Type: image/jpeg\nDNT: 1';
    expect(marked(response, 'http', 'keyword')).toEqual(['HTTP/1.1 200']);
    expect(marked(response, 'http', 'variable')).toEqual(['Content-Type', 'DNT']);
    expect(marked('GET /v1/quota HTTP/1.1\nHost: a', 'http', 'keyword')).toEqual(['GET']);
  });

  it('is left alone in text, and as far as it goes in code that breaks off', () => {
    expect(highlight('if <b>', 'text')).toEqual([{ text: 'if <b>', kind: null }]);
    expect(highlight('', 'json')).toEqual([]);
    const half = 'func main() { s := "a';
    expect(
      highlight(half, 'go')
        .map(({ text }) => text)
        .join(''),
    ).toBe(half);
  });
});

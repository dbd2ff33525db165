import { describe, expect, it } from 'vitest';
import { markedBlocks, markedSpans } from '../../../../../src/cabinet/pages/docs/marked.tsx';

describe('marked text', () => {
  it('takes code and strong emphasis out of a line', () => {
    expect(markedSpans('**Values.** Use `format=auto`, not `*`.')).toEqual([
      { kind: 'strong', text: 'Values.' },
      { kind: 'text', text: ' Use ' },
      { kind: 'code', text: 'format=auto' },
      { kind: 'text', text: ', not ' },
      { kind: 'code', text: '*' },
      { kind: 'text', text: '.' },
    ]);
  });

  it('leaves marks alone that are not closed, and everything that looks like HTML', () => {
    expect(markedSpans('a ` b ** c <b>')).toEqual([{ kind: 'text', text: 'a ` b ** c <b>' }]);
  });

  it('tells paragraphs from lists, and joins the lines of a paragraph', () => {
    const text = (line: string) => [{ kind: 'text', text: line }];
    expect(markedBlocks('one\nline\n\n- first\n- second\n\n\nend')).toEqual([
      { kind: 'paragraph', line: text('one line') },
      { kind: 'list', items: [text('first'), text('second')] },
      { kind: 'paragraph', line: text('end') },
    ]);
  });

  it('has nothing to say about nothing', () => {
    expect(markedBlocks(' \n\n ')).toEqual([]);
  });
});

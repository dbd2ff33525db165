import { describe, expect, it } from 'vitest';
import { type SearchEntry, searchDocs } from '../../../../src/cabinet/text/docs-search.ts';

const entry = (heading: string, text: string, page = 'Page'): SearchEntry => ({
  path: `/docs#${heading}`,
  page,
  heading,
  text,
});

const entries = [
  entry('Quality by format', 'The figures of auto are chosen for a median of about 80.'),
  entry('width', 'The maximum width in pixels. The height follows in proportion.'),
  entry('Pixels', `${'Many words. '.repeat(30)}How many pixels fit, in quality.`),
  entry('Quota', 'Free files per user and month.', 'Limits'),
];

const found = (query: string) =>
  searchDocs(entries, query).map(({ entry: { heading } }) => heading);

describe('search of the documentation', () => {
  it('finds words by how they begin, headings first', () => {
    expect(found('pix')).toEqual(['Pixels', 'width']);
    expect(found('QUALITY')).toEqual(['Quality by format', 'Pixels']);
  });

  it('prefers a heading that is nothing but the word', () => {
    const option = entry('quality', 'How much detail is kept.');
    const [first] = searchDocs([...entries, option], 'quality');
    expect(first?.entry).toBe(option);
  });

  it('finds what has every word before what has most of them', () => {
    expect(found('quota limits')).toEqual(['Quota']);
    expect(found('what is the width in proportion?')).toEqual(['width']);
    expect(found('pixels, quality, quota')[0]).toBe('Pixels');
    expect(found('month xylophone')).toEqual(['Quota']);
    expect(found('xylophone')).toEqual([]);
  });

  it('takes names with hyphens, underscores, spaces, or none of them', () => {
    const names = ['larger-format', 'free_resets_at'].map((name) => entry(name, 'Text.'));
    const all = [entry('Larger', 'A larger format.'), ...names];
    for (const query of ['larger-format', 'larger_format', 'larger format', 'LargerFormat']) {
      expect(searchDocs(all, query)[0]?.entry.heading, query).toBe('larger-format');
    }
    expect(searchDocs(all, 'what is free_resets_at?')[0]?.entry.heading).toBe('free_resets_at');
  });

  it('takes other forms of a word, words for the same, and slips of the fingers', () => {
    const rotation = { ...entry('Rotate a key', 'Both work.'), keywords: 'replace' };
    const all = [...entries, rotation];
    for (const query of ['rotating keys', 'key rotation', 'replacing', 'roatte', 'rotae']) {
      expect(searchDocs(all, query)[0]?.entry, query).toBe(rotation);
    }
    expect(searchDocs(all, 'raotte kye')).toEqual([]);
  });

  it('finds nothing for nothing, nor in the middle of words', () => {
    expect(found('')).toEqual([]);
    expect(found(' …? ')).toEqual([]);
    expect(found('els')).toEqual([]);
  });

  it('shows the words around the first match, and marks them', () => {
    const [hit] = searchDocs(entries, 'fit');
    const text = hit?.excerpt.map((part) => part.text).join('') ?? '';
    expect(text).toMatch(/^… .*How many pixels fit, in quality\.$/);
    expect(text.length).toBeLessThan(100);
    expect(hit?.excerpt.filter(({ isMatch }) => isMatch)).toEqual([{ text: 'fit', isMatch: true }]);
    const [whole] = searchDocs(entries, 'quota');
    expect(whole?.excerpt).toEqual(expect.arrayContaining([{ text: 'Free', isMatch: false }]));
    expect(whole?.heading).toEqual([{ text: 'Quota', isMatch: true }]);
  });

  it('shows no more than it is asked for, and takes signs as they are typed', () => {
    expect(searchDocs(entries, 'pixels', 1).length).toBe(1);
    expect(found('pixels (')).toEqual(['Pixels', 'width']);
  });
});

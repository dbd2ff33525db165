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

  it('finds what has every word, in the heading, the page or the text', () => {
    expect(found('quota limits')).toEqual(['Quota']);
    expect(found('width proportion')).toEqual(['width']);
    expect(found('width nothing')).toEqual([]);
  });

  it('finds nothing for nothing, nor in the middle of words', () => {
    expect(found('')).toEqual([]);
    expect(found(' …? ')).toEqual([]);
    expect(found('ixels')).toEqual([]);
  });

  it('shows the words around the first match', () => {
    const [hit] = searchDocs(entries, 'fit');
    expect(hit?.excerpt).toMatch(/^… .*How many pixels fit, in quality\.$/);
    expect(hit?.excerpt.length).toBeLessThan(100);
    const [whole] = searchDocs(entries, 'month');
    expect(whole?.excerpt).toBe('Free files per user and month.');
  });

  it('shows no more than it is asked for, and takes signs as they are typed', () => {
    expect(searchDocs(entries, 'the', 1).length).toBe(1);
    expect(found('pixels (')).toEqual(['Pixels', 'width']);
  });
});

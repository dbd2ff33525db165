import { describe, expect, it } from 'vitest';
import {
  countOfMatches,
  matchingKeys,
  searchedKeys,
} from '../../../../../src/cabinet/browser/keys/key-list.ts';
import { keyRecord } from './key-records.ts';

const records = [
  keyRecord({ id: 'key_1', name: 'Café Zürich', comment: 'menu pictures' }),
  keyRecord({ id: 'key_2', name: 'blog', comment: '<script>alert(1)</script>' }),
  keyRecord({ id: 'key_3', name: '🛒 متجر', prefix: 'fewer_Zz9Yy', status: 'revoked' }),
];

function found(query: string) {
  return matchingKeys(searchedKeys(records), query).map(({ id }) => id);
}

describe('the search for keys', () => {
  it('finds all when nothing is asked for', () => {
    expect(found('')).toEqual(['key_1', 'key_2', 'key_3']);
    expect(found('   ')).toEqual(['key_1', 'key_2', 'key_3']);
  });

  it('looks at name, comment and prefix', () => {
    expect(found('blog')).toEqual(['key_2']);
    expect(found('menu')).toEqual(['key_1']);
    expect(found('Zz9')).toEqual(['key_3']);
  });

  it('makes no difference between cases and accents', () => {
    expect(found('CAFE')).toEqual(['key_1']);
    expect(found('zürich')).toEqual(['key_1']);
    expect(found('zu\u0308rich')).toEqual(['key_1']);
    expect(found('FEWER_ZZ')).toEqual(['key_3']);
  });

  it('wants every word, in any order and place', () => {
    expect(found('pictures café')).toEqual(['key_1']);
    expect(found('pictures blog')).toEqual([]);
  });

  it('takes what it is given literally', () => {
    expect(found('<script>')).toEqual(['key_2']);
    expect(found('.*')).toEqual([]);
    expect(found('🛒')).toEqual(['key_3']);
    expect(found('متجر')).toEqual(['key_3']);
  });

  it('finds the record of a whole key', () => {
    expect(found(`fewer_Zz9Yy${'a'.repeat(57)}`)).toEqual(['key_3']);
  });

  it('folds each record once, however many letters are typed', () => {
    let reads = 0;
    const counted = {
      ...keyRecord({ id: 'key_4' }),
      get name() {
        reads += 1;
        return 'shop 999';
      },
    };
    const searched = searchedKeys([counted]);
    for (const query of ['s', 'sh', 'shop', 'shop 9', 'shop 999']) {
      expect(matchingKeys(searched, query)).toHaveLength(1);
    }
    expect(reads).toBe(1);
  });
});

describe('countOfMatches', () => {
  it('says how many were found', () => {
    expect(countOfMatches(3, 12, 'shop')).toBe('3 of 12 keys');
    expect(countOfMatches(1, 1, 'shop')).toBe('1 of 1 key');
    expect(countOfMatches(0, 12, 'shop')).toBe('No keys match');
  });

  it('is silent while nothing is searched for', () => {
    expect(countOfMatches(12, 12, ' ')).toBe('');
  });
});

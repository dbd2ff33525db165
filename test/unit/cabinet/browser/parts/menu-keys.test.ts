import { describe, expect, it } from 'vitest';
import { nextEntry } from '../../../../../src/cabinet/browser/parts/menu-keys.ts';

const entries = ['Show code', 'Copy key', 'Edit…', 'Rotate…', 'Revoke…'].map((textContent) => ({
  textContent,
}));
const next = (key: string, at: number) => nextEntry(key, at, entries)?.textContent;

describe('in a menu', () => {
  it('arrows go around its ends', () => {
    expect(next('ArrowDown', 0)).toBe('Copy key');
    expect(next('ArrowDown', 4)).toBe('Show code');
    expect(next('ArrowUp', 0)).toBe('Revoke…');
    expect(next('ArrowUp', -1)).toBe('Revoke…');
    expect(next('ArrowDown', -1)).toBe('Show code');
  });

  it('Home and End go to its ends', () => {
    expect(next('Home', 3)).toBe('Show code');
    expect(next('End', 0)).toBe('Revoke…');
  });

  it('a letter goes to the next entry that begins with it', () => {
    expect(next('r', 0)).toBe('Rotate…');
    expect(next('R', 3)).toBe('Revoke…');
    expect(next('r', 4)).toBe('Rotate…');
    expect(next('x', 0)).toBeUndefined();
  });

  it('other keys do what they do', () => {
    for (const key of ['Enter', ' ', 'Tab', 'Escape']) expect(next(key, 0)).toBeUndefined();
  });
});

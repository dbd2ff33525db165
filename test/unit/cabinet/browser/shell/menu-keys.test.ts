import { expect, test } from 'vitest';
import { nextItem } from '../../../../../src/cabinet/browser/shell/menu-keys.ts';

test.each([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 0, 1],
  ['ArrowDown', 2, 0],
  ['ArrowUp', -1, 2],
  ['ArrowUp', 0, 2],
  ['ArrowUp', 2, 1],
  ['Home', 2, 0],
  ['End', 0, 2],
  ['Enter', 1, null],
  ['a', 1, null],
])('%s leads from item %i of three to %s', (key, from, to) => {
  expect(nextItem(key, from, 3)).toBe(to);
});

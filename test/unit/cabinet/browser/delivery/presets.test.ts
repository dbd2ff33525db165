import { describe, expect, it } from 'vitest';
import {
  isComplete,
  presetErrors,
  withoutPreset,
  withPreset,
} from '../../../../../src/cabinet/browser/delivery/presets.ts';

describe('options', () => {
  it.each(['_', 'w_400', 'w_400,h_300', 's=30x20&f:webp', 'max_bytes_5000', 'pos_left top'])(
    '%s are complete',
    (options) => expect(isComplete(options)).toBe(true),
  );

  it.each(['', 'w', 'w_', 'w_400,', ',w_400', 'w_400,h', 'w_400/..', '400'])(
    '%j are not complete',
    (options) => expect(isComplete(options)).toBe(false),
  );
});

describe('presets', () => {
  const presets = { card: 'w_400', thumb: 'w_80' };

  it('keep their places when one is renamed', () => {
    const changed = withPreset(presets, { name: 'big', options: 'w_800' }, 'card');
    expect(Object.entries(changed)).toEqual([
      ['big', 'w_800'],
      ['thumb', 'w_80'],
    ]);
  });

  it('have a new one at the end', () => {
    const changed = withPreset(presets, { name: 'a', options: '_' }, null);
    expect(Object.keys(changed)).toEqual(['card', 'thumb', 'a']);
    expect(withoutPreset(changed, 'card')).toEqual({ thumb: 'w_80', a: '_' });
  });

  it('have one at the end that was removed while it was edited', () => {
    const changed = withPreset(presets, { name: 'a', options: '_' }, 'gone');
    expect(changed).toEqual({ ...presets, a: '_' });
  });

  it('have names of their own', () => {
    const errors = (name: string, edited: string | null) =>
      presetErrors({ name, options: 'w_1' }, presets, edited);
    expect(errors('card', null)).toHaveProperty('name');
    expect(errors('card', 'thumb')).toHaveProperty('name');
    expect(errors('card', 'card')).toEqual({});
    expect(errors('constructor', null)).toEqual({});
  });
});

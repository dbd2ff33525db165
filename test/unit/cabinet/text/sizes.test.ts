import { describe, expect, it } from 'vitest';
import {
  changeText,
  countText,
  filesText,
  largerSizeText,
  sizeText,
  smallerText,
} from '../../../../src/cabinet/text/formatting.ts';

describe('sizes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.00 KB'],
    [9_949, '9.95 KB'],
    [9_960, '10.0 KB'],
    [76_912, '76.9 KB'],
    [224_590, '225 KB'],
    [999_400, '999 KB'],
    [999_600, '1.00 MB'],
    [33_554_432, '33.6 MB'],
    [5e12, '5.00 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it.each([
    [224_590, 76_912, '−66%'],
    [1000, 995, '−0.5%'],
    [1000, 1000, '0%'],
    [100, 103, '+3.0%'],
    [100, 250, '+150%'],
    [100, 1099, '+999%'],
    [100, 123_500, '+123,400%'],
    [10_000, 9_997, '0%'],
    [1000, 6, '−99%'],
    [1000, 5, '−99.5%'],
    [20_000_000, 40_000, '−99.8%'],
    [20_000_000, 1, '−99.9%'],
    [1000, 0, '−100%'],
    [0, 0, '0%'],
  ])('%d to %d is %s', (before, after, text) => {
    expect(changeText(before, after)).toBe(text);
  });

  it.each([
    [33_600_000, '33.60 MB'],
    [33_554_433, '33.554433 MB'],
    [40_000_000, '40.0 MB'],
    [33_554_432, '33.6 MB'],
  ])('%d bytes beside 33,554,432 are %s', (bytes, text) => {
    expect(largerSizeText(bytes, 33_554_432)).toBe(text);
  });

  it.each([
    [1000, 360, '64% smaller'],
    [1000, 996, 'No smaller'],
    [1000, 1200, 'No smaller'],
    [20_000_000, 40_000, '99.8% smaller'],
    [20_000_000, 1, '99.9% smaller'],
    [1000, 0, '100% smaller'],
    [0, 0, 'No smaller'],
  ])('%d to %d bytes is called %s', (before, after, text) => {
    expect(smallerText(before, after)).toBe(text);
  });

  it('counts have their thousands apart', () => {
    expect(countText(1_234_567)).toBe('1,234,567');
  });

  it('files are counted in singular and plural', () => {
    expect(filesText(1)).toBe('1 file');
    expect(filesText(0)).toBe('0 files');
    expect(filesText(1200)).toBe('1,200 files');
    expect(filesText(1, 'free')).toBe('1 free file');
  });
});

import { describe, expect, it } from 'vitest';
import {
  codeIn,
  digitsOf,
  pauseBeforeSending,
  refusalWords,
  wholeCode,
} from '../../../../../src/cabinet/browser/sign-in/typed-code.ts';

describe('a code as people type it', () => {
  it('may have spaces, hyphens and full-width digits in it', () => {
    expect(digitsOf(' 12 34–56 ')).toBe('123456');
    expect(digitsOf('１２３-456')).toBe('123456');
  });

  it('is none with anything else in it', () => {
    expect(digitsOf('12345a')).toBeNull();
    expect(digitsOf('')).toBeNull();
  });

  it('is whole with 6 or 12 digits', () => {
    expect(wholeCode('123 456')).toBe('123456');
    expect(wholeCode('1234 5678 9012')).toBe('123456789012');
    expect(wholeCode('12345')).toBeNull();
    expect(wholeCode('1234567')).toBeNull();
  });

  it('is found in the subject of the mail', () => {
    expect(codeIn('123456 is your code for Image Optimization Service')).toBe('123456');
    expect(codeIn('Your code: 123456789012.')).toBe('123456789012');
    expect(codeIn('order 1234567')).toBeNull();
  });
});

describe('a code that is sent without the button', () => {
  it('was pasted or filled in as a whole', () => {
    expect(pauseBeforeSending('', '123456', [])).toBe(300);
    expect(pauseBeforeSending('', '123456789012', [])).toBe(300);
    expect(pauseBeforeSending('999999', '123456789012', ['999999'])).toBe(300);
  });

  it('waits for more digits when six were typed one by one', () => {
    expect(pauseBeforeSending('12345', '123456', [])).toBe(900);
    expect(pauseBeforeSending('123456', '1234567', [])).toBeNull();
    expect(pauseBeforeSending('12345678901', '123456789012', [])).toBe(300);
  });

  it('costs one try at most when it was half of twelve digits', () => {
    expect(pauseBeforeSending('12345', '123456', ['123455'])).toBeNull();
    expect(pauseBeforeSending('12345678901', '123456789012', ['123456'])).toBe(300);
  });

  it('is never one that was refused before', () => {
    expect(pauseBeforeSending('', '123456', ['123456', '222222'])).toBeNull();
  });

  it('can be one after another was refused, if it is pasted', () => {
    expect(pauseBeforeSending('', '654321', ['123456'])).toBe(300);
    expect(pauseBeforeSending('123456', '654321', ['123456'])).toBe(300);
    expect(pauseBeforeSending('123456789', '654321', ['123456'])).toBe(300);
  });

  it('waits when one digit of it was put right or taken out', () => {
    expect(pauseBeforeSending('12345', '129345', [])).toBe(900);
    expect(pauseBeforeSending('1234567', '123567', [])).toBe(900);
    expect(pauseBeforeSending('12345', '129345', ['123456'])).toBeNull();
  });
});

describe('a code that was refused', () => {
  it('is to be checked, until it has been tried five times', () => {
    const four = ['1', '2', '3', '4'];
    expect(refusalWords('Check it.', four)).toBe('Check it.');
    expect(refusalWords('Check it.', [...four, '5'])).toBe(
      'This code has been tried too often: have another one sent.',
    );
  });
});

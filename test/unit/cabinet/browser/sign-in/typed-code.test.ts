import { describe, expect, it } from 'vitest';
import {
  autoSubmitDelayFor,
  codeIn,
  digitsOf,
  rejectionText,
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
    expect(codeIn('123456 is your code for Fewer Bytes')).toBe('123456');
    expect(codeIn('Your code: 123456789012.')).toBe('123456789012');
    expect(codeIn('order 1234567')).toBeNull();
  });
});

describe('a code that is sent without the button', () => {
  it('was pasted or filled in as a whole', () => {
    expect(autoSubmitDelayFor('', '123456', [])).toBe(300);
    expect(autoSubmitDelayFor('', '123456789012', [])).toBe(300);
    expect(autoSubmitDelayFor('999999', '123456789012', ['999999'])).toBe(300);
  });

  it('waits for more digits when six were typed one by one', () => {
    expect(autoSubmitDelayFor('12345', '123456', [])).toBe(900);
    expect(autoSubmitDelayFor('123456', '1234567', [])).toBeNull();
    expect(autoSubmitDelayFor('12345678901', '123456789012', [])).toBe(300);
  });

  it('costs one try at most when it was half of twelve digits', () => {
    expect(autoSubmitDelayFor('12345', '123456', ['123455'])).toBeNull();
    expect(autoSubmitDelayFor('12345678901', '123456789012', ['123456'])).toBe(300);
  });

  it('is never one that was refused before', () => {
    expect(autoSubmitDelayFor('', '123456', ['123456', '222222'])).toBeNull();
  });

  it('can be one after another was refused, if it is pasted', () => {
    expect(autoSubmitDelayFor('', '654321', ['123456'])).toBe(300);
    expect(autoSubmitDelayFor('123456', '654321', ['123456'])).toBe(300);
    expect(autoSubmitDelayFor('123456789', '654321', ['123456'])).toBe(300);
  });

  it('waits when one digit of it was put right or taken out', () => {
    expect(autoSubmitDelayFor('12345', '129345', [])).toBe(900);
    expect(autoSubmitDelayFor('1234567', '123567', [])).toBe(900);
    expect(autoSubmitDelayFor('12345', '129345', ['123456'])).toBeNull();
  });
});

describe('a code that was refused', () => {
  it('is to be checked, until it has been tried five times', () => {
    const four = ['1', '2', '3', '4'];
    expect(rejectionText('Check it.', four)).toBe('Check it.');
    expect(rejectionText('Check it.', [...four, '5'])).toBe(
      'Too many attempts with this code. Request a new one.',
    );
  });
});

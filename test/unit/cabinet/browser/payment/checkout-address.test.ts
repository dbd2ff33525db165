import { expect, test } from 'vitest';
import { isCheckoutAddress } from '../../../../../src/cabinet/browser/payment/offers.ts';

const deployed = 'https://img.example';
const local = 'http://localhost:8787';

test.each([
  ['https://checkout.stripe.com/c/pay/cs_1', deployed, true],
  ['https://checkout.stripe.com/c/pay/cs_1', local, true],
  ['http://localhost:4000/pay', local, true],
  ['http://127.0.0.1:4000/pay', local, true],
  ['http://localhost:4000/pay', deployed, false],
  ['http://checkout.stripe.com/c/pay/cs_1', deployed, false],
  ['javascript:alert(1)', deployed, false],
  ['data:text/html,hello', local, false],
  ['//checkout.stripe.com/c', deployed, false],
  ['https://user:word@checkout.stripe.com/', deployed, false],
  ['', deployed, false],
])('%s from %s may be opened: %s', (address, origin, may) => {
  expect(isCheckoutAddress(address, origin)).toBe(may);
});

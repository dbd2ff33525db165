import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itForEach } from '../support/each.ts';
import { Shop } from '../support/shop.ts';
import type { StripeEvent } from '../support/stripe.ts';

const shop = new Shop();
beforeAll(() => shop.start());
afterAll(() => shop.close());

describe('a dispute', () => {
  it('takes all files, and gives them back when it is won', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tellAtOnce(5, purchase.disputed());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tellAtOnce(5, purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    await shop.tell(purchase.disputed(), purchase.disputeEnded('lost'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it.each(['lost', 'prevented'])('that ends as %s is final', async (status) => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.disputed(), purchase.disputeEnded(status));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tell(purchase.disputed(), purchase.completed(), purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
  });

  it('that was an inquiry only gives back what it took', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.disputed('one', 'warning_needs_response'));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tell(purchase.disputeEnded('warning_closed'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('whose end is told first, or alone, is not opened any more', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.disputeEnded('won'), purchase.disputed());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    const other = await customer.buy('ten');
    await shop.tell(other.disputeEnded('lost'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['refunded', 'paid'] });
  });

  it('that is told before its payment counts when the payment is', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    await shop.tell(purchase.disputed());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    await shop.tell(purchase.completed());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tell(purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  itForEach(
    [
      ['all', 10],
      ['some', 4],
      ['none', 0],
    ],
    'after %s of it was used gives back only what it took',
    async (_, used) => {
      const customer = await shop.customer();
      const purchase = await customer.buy('ten');
      await customer.use(used);
      await shop.tell(purchase.disputed());
      expect((await customer.standing()).left).toBe(0);
      await shop.tellAtOnce(5, purchase.disputeEnded('won'));
      expect(await customer.standing()).toEqual({ left: 10 - used, statuses: ['paid'] });
    },
  );

  it('of several is decided when all of them are', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.disputed('one'), purchase.disputed('two'));
    await shop.tell(purchase.disputeEnded('won', 'one'));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tell(purchase.disputeEnded('won', 'two'));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('beside a refund gives back what the refund leaves', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.refunded(300), purchase.disputed(), purchase.refunded(400));
    expect((await customer.standing()).left).toBe(0);
    await shop.tell(purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 6, statuses: ['paid'] });
    await shop.tell(purchase.refunded(1000), purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
  });

  it('of one payment leaves another alone', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const [first] = [await customer.buy('ten'), await customer.buy('thousand')];
    await shop.tell(first.disputed());
    expect(await customer.standing()).toEqual({ left: 1000, statuses: ['paid', 'refunded'] });
  });
});

describe('events in any order', () => {
  it('lead to the same balance', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    let expected = 0;
    for (let round = 0; round < 12; round += 1) {
      const purchase = await customer.checkout('ten');
      const events = [
        purchase.unpaid(),
        purchase.paidLater(),
        purchase.completed(),
        purchase.refunded(100),
        purchase.refunded(300),
        purchase.disputed(),
        purchase.disputeEnded('won'),
        purchase.expired(),
      ];
      await shop.tell(...rotated(events, round));
      expected += 7;
      expect((await customer.standing()).left).toBe(expected);
    }
  });
});

/** One of many orders, always the same for the same number. */
function rotated(events: readonly StripeEvent[], round: number): StripeEvent[] {
  return events
    .map((event, i) => ({ event, place: ((i + 1) * (round + 2) * 7919) % 31 }))
    .sort((one, other) => one.place - other.place)
    .map(({ event }) => event);
}

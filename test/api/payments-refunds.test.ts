import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/time.ts';

const shop = new Shop();
beforeAll(() => shop.start());
afterAll(() => shop.close());

describe('a refund of a part', () => {
  it('takes files in proportion, cumulative, rounded down', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    for (const [amount, left] of [
      [99, 10],
      [100, 9],
      [199, 9],
      [350, 7],
      [999, 1],
    ] as const) {
      await shop.tell(purchase.refunded(amount));
      expect(await customer.standing()).toEqual({ left, statuses: ['paid'] });
    }
  });

  it('takes once what is told twice, in parallel, or late', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.refunded(300), purchase.refunded(300), purchase.completed());
    expect((await customer.standing()).left).toBe(7);
    await shop.tellAtOnce(10, purchase.refunded(300), purchase.refunded(500));
    expect((await customer.standing()).left).toBe(5);
    await shop.tell(purchase.refunded(100));
    expect(await customer.standing()).toEqual({ left: 5, statuses: ['paid'] });
  });

  it('is of the whole charge where that is more than our price', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.refunded(595, { amount: 1190, refunded: false }));
    expect(await customer.standing()).toEqual({ left: 5, statuses: ['paid'] });
    // As much as the price, but not the whole charge.
    await shop.tell(purchase.refunded(1000, { amount: 1190, refunded: false }));
    expect(await customer.standing()).toEqual({ left: 2, statuses: ['paid'] });
    await shop.tell(purchase.refunded(1190, { amount: 1190, refunded: true }));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
  });

  it('in another currency is not taken, but logged', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.refunded(1000, { currency: 'eur' }));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    const logs = shop.service.logs();
    for (const part of ['refund_does_not_fit', purchase.payment.id, purchase.paymentIntent])
      expect(logs).toContain(part);
    await shop.tell(purchase.refunded(500));
    expect(await customer.standing()).toEqual({ left: 5, statuses: ['paid'] });
  });
});

describe('a refund in full', () => {
  it('takes all files and is final', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await shop.tell(purchase.refunded(1000));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    await shop.tell(purchase.completed(), purchase.paidLater(), purchase.expired());
    await shop.tell(purchase.refunded(500), purchase.failedLater(), purchase.disputeEnded('won'));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    expect((await customer.me()).plan).toBe('paid');
  });

  it('of what has been used takes what is there, and never more', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    await customer.use(8);
    await shop.tellAtOnce(10, purchase.refunded(1000));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    // Files that it could not take back then are not taken from a later pack.
    await customer.buy('ten');
    await shop.tellAtOnce(5, purchase.refunded(1000), purchase.completed());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid', 'refunded'] });
  });

  it('comes out of all that the user has, and leaves the rest alone', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const [first, second] = [await customer.buy('ten'), await customer.buy('ten')];
    await customer.use(5);
    await shop.tellAtOnce(5, first.refunded(1000));
    expect(await customer.standing()).toEqual({ left: 5, statuses: ['paid', 'refunded'] });
    await shop.tell(second.refunded(200));
    expect(await customer.standing()).toEqual({ left: 3, statuses: ['paid', 'refunded'] });
  });
});

describe('a refund that is told before its payment', () => {
  it('counts when the payment is', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    await shop.tell(purchase.refunded(300));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    await shop.tell(purchase.completed());
    expect(await customer.standing()).toEqual({ left: 7, statuses: ['paid'] });
  });

  it('counts where the charge does not say which payment it is for', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    await shop.tell(purchase.refunded(1000, { metadata: {} }), purchase.completed());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
    expect((await customer.me()).plan).toBe('paid');
  });

  it('counts whatever the order, at once', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    await shop.tellAtOnce(
      5,
      purchase.refunded(200),
      purchase.completed(),
      purchase.refunded(400),
      purchase.unpaid(),
      purchase.paidLater(),
    );
    expect(await customer.standing()).toEqual({ left: 6, statuses: ['paid'] });
  });

  it('that names the payment of someone else takes nothing from that', async () => {
    const [one, other] = [await shop.customer(), await shop.customer()];
    const [mine, theirs] = [await one.buy(), await other.buy()];
    await shop.tell(mine.refunded(1000, { metadata: { payment_id: theirs.payment.id } }));
    expect((await one.standing()).left).toBe(0);
    expect(await other.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('that names the payment of someone else is taken when its own payment is told of', async () => {
    const [customer, other] = [await shop.customer(), await shop.customer()];
    const [purchase, open] = [await customer.checkout(), await other.checkout()];
    const metadata = { payment_id: open.payment.id };
    await shop.tell(purchase.refunded(500, { metadata }));
    await shop.tellAtOnce(3, purchase.completed(), purchase.refunded(500, { metadata }));
    expect(await customer.standing()).toEqual({ left: 5, statuses: ['paid'] });
    await shop.tell(open.completed(), purchase.refunded(1000, { metadata }));
    expect(await other.standing()).toEqual({ left: 10, statuses: ['paid'] });
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
  });

  it('is forgotten after a month when no payment came', { tags: 'slow' }, async () => {
    const { database } = shop.service;
    const customer = await shop.customer();
    const known = await customer.buy();
    const strange = await customer.checkout();
    await shop.tell(known.refunded(100), known.disputed());
    await shop.tell(strange.refunded(100, { metadata: {} }), strange.disputed());
    // A refund that names its payment belongs to it from the beginning.
    const slow = await shop.customer();
    const named = await slow.checkout();
    await shop.tell(named.refunded(300));
    const count = async () => {
      const facts = ['payment_refunds', 'payment_disputes'].map((table) =>
        database
          .prepare(`SELECT payment_intent FROM ${table} WHERE payment_intent IN (?1, ?2)`)
          .bind(known.paymentIntent, strange.paymentIntent),
      );
      const found = (await database.batch(facts)).flatMap(({ results }) => results);
      return (found as { payment_intent: string }[]).map((row) => row.payment_intent);
    };
    await shop.service.tidy();
    expect(await count()).toHaveLength(4);
    const month = 30 * 24 * 60 * 60 * 1000;
    await database.batch(
      ['payment_refunds', 'payment_disputes'].map((table) =>
        database.prepare(`UPDATE ${table} SET seen_at = seen_at - ?1`).bind(month),
      ),
    );
    await shop.service.tidy();
    expect(await count()).toEqual([known.paymentIntent, known.paymentIntent]);
    await shop.tell(named.paidLater());
    expect(await slow.standing()).toEqual({ left: 7, statuses: ['paid'] });
  });
});

describe('a refund while files are optimized', () => {
  it('and what is charged at the same time never take more than there is', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy('ten');
    const key = keyOf(await createKey(customer.client, { name: 'busy' }));
    // This user has no free files, so that every file is paid.
    await shop.service.database
      .prepare(
        `UPDATE mailboxes SET free_month = ?2, free_used = 1000000
         WHERE id = (SELECT mailbox_id FROM users WHERE email = ?1)`,
      )
      .bind(customer.email, new Date().toISOString().slice(0, 7))
      .run();
    const body = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
    const headers = { Authorization: `Bearer ${key}` };
    const optimized = Array.from({ length: 16 }, () =>
      shop.service.fetch('/v1/optimize', { method: 'POST', headers, body }),
    );
    const [responses] = await Promise.all([
      Promise.all(optimized),
      shop.tellAtOnce(3, purchase.refunded(500), purchase.refunded(200)),
    ]);
    const statuses = responses.map(({ status }) => status);
    for (const status of statuses) expect([200, 402]).toContain(status);
    const answered = statuses.filter((status) => status === 200).length;
    expect(answered).toBeLessThanOrEqual(10);
    // Half of it was taken back: as much of it as the balance still had.
    await eventually(async () => {
      const { left } = await customer.standing();
      expect(left).toBeGreaterThanOrEqual(Math.max(0, 5 - answered));
      expect(left).toBeLessThanOrEqual(10 - answered);
    });
    await shop.tellAtOnce(3, purchase.refunded(1000));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['refunded'] });
  });
});

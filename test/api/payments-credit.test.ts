import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itForEach } from '../support/each.ts';
import { Shop } from '../support/shop.ts';
import { eventOf } from '../support/stripe.ts';

const shop = new Shop();
beforeAll(() => shop.start());
afterAll(() => shop.close());

describe('a payment', () => {
  it('is credited when it is completed, and the plan is paid from then on', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    expect(await customer.me()).toMatchObject({ plan: 'free', paid_quota_remaining: 0 });
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    await shop.tell(purchase.completed());
    expect(await customer.me()).toMatchObject({ plan: 'paid', paid_quota_remaining: 10 });
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('is credited once, however often the event comes', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    const event = (await customer.checkout()).completed();
    await shop.tell(event, event);
    await shop.tellAtOnce(20, event);
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('is credited once when 20 deliveries come at the same time', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    await shop.tellAtOnce(20, (await customer.checkout()).completed());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('is credited once when both events say that it is paid, apart and at once', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const [apart, atOnce] = [await customer.checkout(), await customer.checkout()];
    await shop.tell(apart.completed(), apart.paidLater());
    await shop.tellAtOnce(5, atOnce.completed(), atOnce.paidLater());
    expect(await customer.standing()).toEqual({ left: 20, statuses: ['paid', 'paid'] });
  });

  it('adds up with others, and with files that were granted', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    await customer.receive(7);
    const purchases = [await customer.checkout('ten'), await customer.checkout('thousand')];
    await shop.tellAtOnce(3, ...purchases.map((purchase) => purchase.completed()));
    expect(await customer.standing()).toEqual({ left: 1017, statuses: ['paid', 'paid'] });
  });

  it('by a slow method is credited when the money has come', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    await shop.tell(purchase.unpaid());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    expect((await customer.me()).plan).toBe('free');
    await shop.tell(purchase.paidLater());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    await shop.tell(purchase.unpaid());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('by a slow method that fails has failed', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    await shop.tell(purchase.unpaid(), purchase.failedLater(), purchase.unpaid());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['failed'] });
    expect((await customer.me()).plan).toBe('free');
  });

  it('that was not made in time has failed', async () => {
    const customer = await shop.customer();
    await shop.tell((await customer.checkout()).expired());
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['failed'] });
  });

  it('stays paid, whatever else is told late', async () => {
    const customer = await shop.customer();
    const purchase = await customer.buy();
    await shop.tell(purchase.expired(), purchase.failedLater());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('counts as paid when that is told after it had failed, and only then', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    await shop.tell(purchase.expired(), purchase.completed());
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    const other = await customer.checkout();
    await shop.tellAtOnce(5, other.failedLater(), other.completed(), other.expired());
    expect(await customer.standing()).toEqual({ left: 20, statuses: ['paid', 'paid'] });
  });

  it('of an account that was deleted meanwhile is booked, and visible to nobody', {
    tags: 'slow',
  }, async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    const deleted = await customer.client.delete('/v1/me', { confirm: customer.email });
    expect(deleted.status).toBe(200);
    await shop.tell(purchase.completed(), purchase.refunded(500));
    await expect
      .poll(() => shop.service.logs())
      .toMatch(new RegExp(`payment_of_deleted_account.*${purchase.payment.id}`, 's'));
    await shop.service.age(customer.email, 61_000);
    await customer.client.signIn(customer.email);
    expect(await customer.standing()).toEqual({ left: 0, statuses: [] });
    const row = await shop.service.database
      .prepare('SELECT status, granted FROM payments WHERE id = ?1')
      .bind(purchase.payment.id)
      .first();
    expect(row).toEqual({ status: 'paid', granted: 5 });
    const tables = ['payments', 'payment_refunds', 'payment_disputes'];
    const rows = await shop.service.database.batch(
      tables.map((table) => shop.service.database.prepare(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(rows.map(({ results }) => results))).not.toContain('@');
  });
});

describe('what does not fit our row', () => {
  itForEach(
    [
      { amount_subtotal: 999 },
      { amount_subtotal: 1001 },
      { amount_subtotal: 0 },
      { amount_subtotal: null },
      { currency: 'eur' },
      { currency: 'USD' },
      { currency: null },
    ],
    'credits nothing and is logged by ids: %j',
    async (changes) => {
      const customer = await shop.customer();
      const purchase = await customer.checkout('ten');
      await shop.tell(purchase.completed(changes));
      expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
      expect((await customer.me()).plan).toBe('free');
      const logs = shop.service.logs();
      for (const part of ['payment_does_not_fit', purchase.payment.id, purchase.sessionId])
        expect(logs).toContain(part);
      await shop.tell(purchase.completed());
      expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
    },
  );

  it('takes files and price from our row, whatever the metadata say', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout('ten');
    const metadata = { payment_id: purchase.payment.id, files: '5000', pack: 'thousand' };
    await shop.tell(purchase.completed({ metadata }));
    expect(await customer.standing()).toEqual({ left: 10, statuses: ['paid'] });
  });

  it('takes no notice of a session that it does not know', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    const stranger = { id: 'cs_test_stranger', metadata: { payment_id: 'pay_stranger' } };
    // One that claims to be for a payment that has its own session.
    const impostor = { id: 'cs_test_impostor' };
    for (const changes of [stranger, impostor, { ...stranger, metadata: null }])
      await shop.tell(purchase.completed(changes));
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
    const logs = shop.service.logs();
    expect(logs).not.toContain('cs_test_stranger');
    for (const part of ['payment_does_not_fit', 'cs_test_impostor', purchase.payment.id])
      expect(logs).toContain(part);
  });

  it('goes by the session, not by the metadata, where they disagree', {
    tags: 'slow',
  }, async () => {
    const [one, other] = [await shop.customer(), await shop.customer()];
    const [bought, open] = [await one.checkout(), await other.checkout()];
    await shop.tell(bought.completed({ metadata: { payment_id: open.payment.id } }));
    expect(await one.standing()).toEqual({ left: 10, statuses: ['paid'] });
    expect(await other.standing()).toEqual({ left: 0, statuses: ['pending'] });
  });

  it('takes no notice of other events', async () => {
    const customer = await shop.customer();
    const purchase = await customer.checkout();
    const { data } = purchase.completed() as unknown as {
      data: { object: Record<string, unknown> };
    };
    const types = ['payment_intent.succeeded', 'charge.succeeded', 'charge.dispute.updated', 'x'];
    for (const type of types) await shop.tell(eventOf(type, data.object));
    const nowhere = { payment_intent: null };
    await shop.tell(
      eventOf('charge.refunded', { id: 'ch_1', metadata: {}, ...nowhere }),
      eventOf('charge.dispute.created', { id: 'dp_1', ...nowhere }),
    );
    expect(await customer.standing()).toEqual({ left: 0, statuses: ['pending'] });
  });
});

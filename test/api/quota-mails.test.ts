import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { createKey, keyOf } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { Shop } from '../support/shop.ts';
import { eventually } from '../support/time.ts';

const shop = new Shop();
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  await shop.start({ FREE_FILES_PER_MONTH: '10' });
  photo = Uint8Array.from(await plainPicture(60, 50).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => shop.close());

/** Uses this many files with a key concurrently, as far as there are enough. */
async function burst(key: string, calls: number): Promise<number> {
  const headers = { Authorization: `Bearer ${key}` };
  const responses = await Promise.all(
    Array.from({ length: calls }, () =>
      shop.service.fetch('/v1/optimize', { method: 'POST', headers, body: photo }),
    ),
  );
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return responses.filter(({ status }) => status === 200).length;
}

/** Uses this many files, sequentially where a burst is too fast. */
async function use(email: string, key: string, files: number): Promise<void> {
  for (let used = await burst(key, files); used < files; ) used += await burst(key, 1);
  const meter = await shop.service.meters.of(email);
  await eventually(async () => expect(await meter.inFlight()).toBe(0));
}

/** The mails that a user got about the quota, oldest first, after all alarms have fired several times concurrently. */
async function told(email: string): Promise<string[]> {
  const { meters, inbox } = shop.service;
  await Promise.all(Array.from({ length: 5 }, () => meters.sendMails()));
  const subjects = await inbox.subjects(email);
  return subjects.filter((subject) => !subject.includes('code')).reverse();
}

const low = expect.stringMatching(/^80% of your free files for \w+ are used – /);
const usedUp = expect.stringMatching(/^Your free files for \w+ are used up – /);

async function linkTo(email: string): Promise<string> {
  const { text } = await shop.service.inbox.latest(email);
  const [, path] = /https?:\/\/[^/]+(\/unsubscribe\?token=\w+)/.exec(text) ?? [];
  if (path === undefined) throw new Error(`no link in ${text}`);
  return path;
}

describe('mails about quota', () => {
  it('come once each, however many requests and alarms there are at once', {
    tags: 'slow',
  }, async () => {
    const { email, client } = await shop.customer();
    const key = keyOf(await createKey(client, { name: 'key' }));
    await use(email, key, 7);
    expect(await told(email)).toEqual([]);
    await use(email, key, 2);
    expect(await told(email)).toEqual([low]);
    await burst(key, 40);
    await eventually(async () => expect(await told(email)).toEqual([low, usedUp]));
    await burst(key, 10);
    expect(await told(email)).toEqual([low, usedUp]);
    const { text, html } = await shop.service.inbox.latest(email);
    expect(text).toContain('all of your 10 free files');
    expect(text).toContain('/cabinet/payment');
    for (const part of [text, html]) expect(part).toContain(await linkTo(email));
  });

  it('are of a pack where there is one', { tags: 'slow' }, async () => {
    const customer = await shop.customer();
    await customer.buy('ten');
    const key = keyOf(await createKey(customer.client, { name: 'key' }));
    await use(customer.email, key, 10);
    expect(await told(customer.email)).toEqual([]);
    await use(customer.email, key, 8);
    const ofPack = expect.stringMatching(/^20% of your latest pack is left – /);
    expect(await told(customer.email)).toEqual([ofPack]);
    await use(customer.email, key, 2);
    const none = expect.stringMatching(/^Your paid files are used up – /);
    expect(await told(customer.email)).toEqual([ofPack, none]);
    // The next pack has its own mails.
    await customer.buy('ten');
    await use(customer.email, key, 8);
    expect(await told(customer.email)).toEqual([ofPack, none, ofPack]);
  });

  it('do not come after they were switched off, and come again when they are on', {
    tags: 'slow',
  }, async () => {
    const { email, client } = await shop.customer();
    const key = keyOf(await createKey(client, { name: 'key' }));
    const choose = async (quota_mails: unknown) => client.patch('/v1/me', { quota_mails });
    expect(await (await client.get('/v1/me')).json()).toMatchObject({ quota_mails: true });
    const answer = await choose(false);
    expect(answer.status).toBe(200);
    const me = await (await client.get('/v1/me')).json();
    expect(await answer.json()).toEqual(me);
    expect(me).toMatchObject({ email, quota_mails: false });
    await use(email, key, 8);
    expect(await told(email)).toEqual([]);
    expect(await (await choose(true)).json()).toMatchObject({ quota_mails: true });
    await use(email, key, 2);
    expect(await told(email)).toEqual([usedUp]);
    for (const wrong of ['no', 1, null, undefined]) {
      await expectProblem(await choose(wrong), 'invalid_request');
    }
  });

  it('do not go to an account that was deleted meanwhile', { tags: 'slow' }, async () => {
    const { email, client } = await shop.customer();
    const key = keyOf(await createKey(client, { name: 'key' }));
    await use(email, key, 8);
    expect((await client.delete('/v1/me', { confirm: email })).status).toBe(200);
    expect(await told(email)).toEqual([]);
  });
});

describe('the link in such a mail', () => {
  const post = (path: string) =>
    shop.service.fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });

  it('ends them once, without a session, and looking at it changes nothing', async () => {
    const { email, client } = await shop.customer();
    const key = keyOf(await createKey(client, { name: 'key' }));
    await use(email, key, 8);
    expect(await told(email)).toEqual([low]);
    const link = await linkTo(email);
    const isOn = async () =>
      ((await (await client.get('/v1/me')).json()) as { quota_mails: boolean }).quota_mails;
    for (let i = 0; i < 2; i += 1) {
      const page = await shop.service.fetch(link);
      expect([page.status, page.headers.get('Referrer-Policy')]).toEqual([200, 'no-referrer']);
      expect(await page.text()).toContain('Stop these emails');
    }
    expect(await isOn()).toBe(true);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(410)]);
    expect(await isOn()).toBe(false);
    expect((await shop.service.fetch(link)).status).toBe(410);
    await use(email, key, 2);
    expect(await told(email)).toEqual([low]);
    // The later choice counts.
    await client.patch('/v1/me', { quota_mails: true });
    expect((await post(link)).status).toBe(410);
    expect(await isOn()).toBe(true);
  });

  it('is one that was issued', { tags: 'slow' }, async () => {
    const { email, client } = await shop.customer();
    const key = keyOf(await createKey(client, { name: 'key' }));
    await use(email, key, 8);
    await told(email);
    const link = await linkTo(email);
    const last = link.at(-1) === 'a' ? 'b' : 'a';
    for (const wrong of [
      link.slice(0, -1) + last,
      link.slice(0, -1),
      '/unsubscribe',
      '/unsubscribe?token=',
    ]) {
      expect([(await shop.service.fetch(wrong)).status, (await post(wrong)).status]).toEqual([
        410, 410,
      ]);
    }
    expect((await post(link)).status).toBe(200);
  });
});

describe('a receipt', () => {
  const url = 'https://pay.stripe.com/receipts/payment/abc';

  it('is shown with its payment, whichever event comes first', async () => {
    const customer = await shop.customer();
    const first = await customer.buy('ten');
    expect(await customer.payments()).toMatchObject([{ status: 'paid', receipt_url: null }]);
    await shop.tell(first.charged(url), first.charged(null));
    const early = await customer.checkout('ten');
    await shop.tell(early.charged(`${url}2`), early.completed());
    const receipts = (await customer.payments()).map(({ receipt_url }) => receipt_url);
    expect(receipts).toEqual([`${url}2`, url]);
  });

  it('is nobody else’s, and an https URL', { tags: 'slow' }, async () => {
    const [one, other] = [await shop.customer(), await shop.customer()];
    const [mine, theirs] = [await one.buy('ten'), await other.buy('ten')];
    await shop.tell(theirs.charged(url, mine.payment.id), mine.charged('javascript:alert(1)'));
    expect(await one.payments()).toMatchObject([{ receipt_url: null }]);
    expect(await other.payments()).toMatchObject([{ receipt_url: url }]);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trialLimits } from '../../src/policy/limits.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import type { Client } from '../support/client.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { TurnstileStandIn, turnstileSettings } from '../support/turnstile.ts';

const standIn = new TurnstileStandIn();
let service: TestService;
let guarded: TestService;
let closed: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  await standIn.start();
  const { vars, secrets } = turnstileSettings(standIn.origin);
  [service, guarded, closed] = await Promise.all([
    startTestService({ TRIAL_FILES_PER_DAY: '40' }),
    startTestService(vars, secrets),
    startTestService({ TRIAL_FILES_PER_DAY: '0' }),
  ]);
  photo = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
  // A new day would start with new trials.
  const left = day - (Date.now() % day);
  if (left < 120_000) await pause(left + 1000);
}, 150_000);
afterAll(async () => {
  await Promise.all([service.close(), guarded.close(), closed.close(), standIn.stop()]);
});

const day = 24 * 60 * 60 * 1000;

function ownPage({ url }: TestService): Record<string, string> {
  return { Origin: url.origin, 'Sec-Fetch-Site': 'same-origin' };
}

interface Trying {
  readonly at?: TestService;
  readonly client?: Client;
  readonly body?: BodyInit;
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

function tryImage({ at = service, client = at.client(), ...rest }: Trying = {}): Promise<Response> {
  const { body = photo, query = '', headers = ownPage(at) } = rest;
  return client.fetch(`/v1/try${query}`, { method: 'POST', headers, body });
}

const ofStatus = (responses: readonly Response[], wanted: number) =>
  responses.filter(({ status }) => status === wanted).length;

/** The counts of the day, in the table of trials and in its sum. */
async function counted(): Promise<readonly unknown[]> {
  const row = await service.database
    .prepare(
      'SELECT (SELECT count(*) FROM trials) AS trials, coalesce((SELECT sum(files) FROM trial_days), 0) AS files',
    )
    .first<{ trials: number; files: number }>();
  return [row?.trials, row?.files];
}

describe('an image that is tried without an account', () => {
  it('comes back smaller, as bytes and as a form, and says how many are left', async () => {
    const client = service.client();
    const first = await tryImage({ client, query: '?format=webp&width=200' });
    expect(first.headers.get('Trial-Remaining')).toBe('4');
    expect(first.headers.has('Quota-Remaining')).toBe(false);
    await expectPicture(first);
    const form = new FormData();
    form.set('file', new Blob([photo]), 'photo.jpg');
    form.set('width', '100');
    const second = await tryImage({ client, body: form });
    expect(second.headers.get('Trial-Remaining')).toBe('3');
    expect((await expectPicture(second)).length).toBeLessThan(photo.length);
  });

  it.each([
    ['a program that says nothing', {}],
    ['a page whose browser does not say where the call comes from', { 'Sec-Fetch-Site': '' }],
    ['a page of the same site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a typed address', { 'Sec-Fetch-Site': 'none' }],
    ['a foreign page', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['an origin of its own alone', { 'Sec-Fetch-Site': 'same-origin', Origin: '' }],
    ['another origin', { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' }],
  ])('is refused from %s, and not counted', async (_, given) => {
    const before = await counted();
    const own = Object.keys(given).length === 1 ? ownPage(service) : {};
    const headers = Object.fromEntries(
      Object.entries({ ...own, ...given }).filter(([, value]) => value !== ''),
    );
    await expectProblem(await tryImage({ headers }), 'origin_not_allowed');
    expect(await counted()).toEqual(before);
  });

  it('is given back where it was not worked on', async () => {
    const before = await counted();
    const client = service.client();
    const refusals = await Promise.all([
      tryImage({ client, body: 'no image' }),
      tryImage({ client, query: '?width=0' }),
      tryImage({ client, body: new Uint8Array(trialLimits.maxFileBytes + 1) }),
      tryImage({
        client,
        body: JSON.stringify({ url: 'https://images.example/photo.jpg' }),
        headers: { ...ownPage(service), 'Content-Type': 'application/json' },
      }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([415, 400, 413, 415]);
    await expect.poll(counted).toEqual(before);
    const next = await tryImage({ client });
    expect(next.headers.get('Trial-Remaining')).toBe('4');
    await expectPicture(next);
  });

  it('is refused where it would take too long, and says what fits', { tags: 'slow' }, async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const create = { width: 4600, height: 3400, channels: 3, background: '#888', noise } as const;
    const body = Uint8Array.from(await sharp({ create }).jpeg({ quality: 50 }).toBuffer());
    const refused = await tryImage({ body, query: '?format=avif' });
    const { limit_pixels } = await expectProblem(refused, 'image_too_large');
    expect(limit_pixels).toBeGreaterThan(0);
    expect(limit_pixels).toBeLessThan(create.width * create.height);
  });

  it('is counted exactly by network where 100 come at once', async () => {
    const before = await counted();
    const client = service.client();
    const answers = await Promise.all(Array.from({ length: 100 }, () => tryImage({ client })));
    expect([ofStatus(answers, 200), ofStatus(answers, 429)]).toEqual([5, 95]);
    const refused = answers.find(({ status }) => status === 429);
    if (!refused) throw new Error('none was refused');
    await expectProblem(refused, 'trial_limit_reached');
    const untilMidnight = (day - (Date.now() % day)) / 1000;
    expect(Math.abs(Number(refused.headers.get('Retry-After')) - untilMidnight)).toBeLessThan(30);
    expect(await counted()).toEqual(before.map((count) => Number(count) + 5));
  });

  it('is counted by the /48 of IPv6 as well', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => service.client(`2001:db8:7:${i}::1`)).flatMap((client) =>
        Array.from({ length: 3 }, () => tryImage({ client })),
      ),
    );
    expect([ofStatus(answers, 200), ofStatus(answers, 429)]).toEqual([10, 8]);
  });

  it('is one of as many as all visitors have together', async () => {
    const [, used = 0] = await counted();
    const answers = await Promise.all(Array.from({ length: 40 }, () => tryImage()));
    expect(ofStatus(answers, 200)).toBe(40 - Number(used));
    const late = await tryImage();
    const { detail } = await expectProblem(late, 'trial_limit_reached');
    expect(detail).toContain('visitors');
    expect(await counted()).toEqual([40, 40]);
  });

  it('leaves nothing behind that tells who it was, and not even that after its day', async () => {
    const rows = await service.database.prepare('SELECT * FROM trials').all();
    expect(JSON.stringify(rows.results)).not.toMatch(/10\.\d|2001:/);
    await service.database.batch([
      service.database.prepare("UPDATE trials SET day = '2026-01-01'"),
      service.database.prepare("UPDATE trial_days SET day = '2026-01-01'"),
    ]);
    await service.tidy();
    expect(await counted()).toEqual([0, 0]);
  });
});

describe('where Turnstile is on', () => {
  const formWith = (token?: string) => {
    const form = new FormData();
    form.set('file', new Blob([photo]), 'photo.jpg');
    if (token !== undefined) form.set('turnstile_token', token);
    return form;
  };

  it('an image is tried with a token that has not been used', async () => {
    const token = standIn.token();
    await expectPicture(await tryImage({ at: guarded, body: formWith(token) }));
    const again = await tryImage({ at: guarded, body: formWith(token) });
    await expectProblem(again, 'turnstile_failed');
    await expectProblem(await tryImage({ at: guarded, body: formWith() }), 'turnstile_failed');
    await expectProblem(await tryImage({ at: guarded }), 'turnstile_failed');
  });
});

it('nothing can be tried where the operator has switched that off', async () => {
  await expectProblem(await tryImage({ at: closed }), 'not_found');
});

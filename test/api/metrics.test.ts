import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOnNode } from '../support/home.ts';
import { plainPicture } from '../support/pictures.ts';
import { hasPromtool, promtool } from '../support/promtool.ts';
import { sharedTestService, startTestService, type TestService } from '../support/service.ts';

const token = '0123456789abcdef'.repeat(4);

let service: TestService;
let picture: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '12' }, { METRICS_TOKEN: token });
  picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
});
afterAll(() => service.close());

function scrape(credentials = `Bearer ${token}`, method = 'GET'): Promise<Response> {
  const headers = { Authorization: credentials };
  return fetch(new URL('/metrics', service.url), { method, headers });
}

/** The samples of a response, by their text. */
async function samplesOf(response: Response): Promise<ReadonlyMap<string, number>> {
  const lines = (await response.text()).split('\n').filter((line) => /^[^#]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

/** By how much samples have grown while something was done. */
async function growth(act: () => Promise<unknown>): Promise<(sample: string) => number> {
  const before = await samplesOf(await scrape());
  await act();
  const after = await samplesOf(await scrape());
  return (sample) => (after.get(sample) ?? Number.NaN) - (before.get(sample) ?? 0);
}

describe('/metrics', () => {
  it('is not found where no token is set', async () => {
    const other = await sharedTestService();
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(new URL('/metrics', other.url), { headers });
    expect(response.status).toBe(404);
    await response.body?.cancel();
    await other.close();
  });

  it.each([
    '',
    'Bearer',
    `Bearer ${token.slice(1)}`,
    `Bearer ${token}0`,
    `Bearer ${'f'.repeat(64)}`,
    `Basic ${token}`,
  ])('is refused to %j', async (credentials) => {
    const response = await scrape(credentials);
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    expect(await response.text()).not.toContain('fewerbytes_');
  });

  it('is text in the format of Prometheus, which nobody stores', async () => {
    const response = await scrape();
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const text = await response.text();
    if (hasPromtool) {
      expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
    }
    expect((await scrape(undefined, 'HEAD')).status).toBe(200);
    expect((await scrape(undefined, 'POST')).status).toBe(405);
  });

  it('agrees with a counted load', async () => {
    let bytesOut = 0;
    const grown = await growth(async () => {
      const responses = await Promise.all(
        Array.from({ length: 15 }, () => service.optimize(picture, '?format=webp')),
      );
      for (const response of responses) {
        if (response.ok) bytesOut += (await response.arrayBuffer()).byteLength;
      }
      await Promise.all(Array.from({ length: 7 }, () => service.fetch('/v1/nothing')));
      await service.optimize('no picture').then((response) => response.text());
      await service.fetch('/v1/quota');
    });
    const requests = (route: string, method: string, status: number) =>
      grown(`fewerbytes_requests_total{route="${route}",method="${method}",status="${status}"}`);
    expect(requests('/v1/optimize', 'POST', 200)).toBe(12);
    expect(requests('/v1/optimize', 'POST', 402)).toBe(4);
    expect(requests('none', 'GET', 404)).toBe(7);
    expect(requests('/v1/quota', 'GET', 401)).toBe(1);
    expect(grown('fewerbytes_problems_total{code="quota_exceeded"}')).toBe(4);
    expect(grown('fewerbytes_problems_total{code="not_found"}')).toBe(7);
    expect(grown('fewerbytes_reservations_total{answer="reserved"}')).toBe(12);
    expect(grown('fewerbytes_reservations_total{answer="exhausted"}')).toBe(4);
    expect(grown('fewerbytes_images_received_total{input="jpeg"}')).toBe(12);
    const received = grown('fewerbytes_images_received_bytes_total{input="jpeg"}');
    expect(received).toBe(12 * picture.length);
    expect(grown('fewerbytes_images_made_total{output="webp"}')).toBe(12);
    expect(grown('fewerbytes_images_made_bytes_total{output="webp"}')).toBe(bytesOut);
    expect(grown('fewerbytes_work_predicted_cpu_seconds_total{input="jpeg"}')).toBeGreaterThan(0);
    if (isOnNode) {
      const worked = grown('fewerbytes_work_cpu_seconds_total{input="jpeg"}');
      expect(worked).toBeGreaterThan(0);
      // That of the process is read in hundredths of a second by some systems.
      expect(worked).toBeLessThan(grown('process_cpu_seconds_total') + 0.01);
    }
    expect(grown('fewerbytes_wait_seconds_count{for="turn"}')).toBe(12);
    const answered = 'fewerbytes_request_duration_seconds_bucket{route="/v1/optimize",le="+Inf"}';
    expect(grown(answered)).toBe(16);
  });

  it('counts the errors of pages like those of the API', async () => {
    const client = await service.signedIn('reader@example.com');
    const rename = (from: string, to: string) =>
      service.database.prepare(`ALTER TABLE ${from} RENAME TO ${to}`).run();
    const grown = await growth(async () => {
      expect((await service.fetch('/nothing')).status).toBe(404);
      await rename('users', 'users_away');
      expect((await client.get('/cabinet/keys')).status).toBe(500);
      await rename('users_away', 'users');
    });
    expect(grown('fewerbytes_problems_total{code="not_found"}')).toBe(1);
    expect(grown('fewerbytes_problems_total{code="internal_error"}')).toBe(1);
  });

  it('counts mails, and what is cleared each hour', async () => {
    const grown = await growth(async () => {
      await service.signedIn('measured@example.com');
      await service.tidy();
    });
    expect(grown('fewerbytes_mails_total{outcome="sent"}')).toBe(1);
    // On Node, tests do that work beside the server.
    expect(grown('fewerbytes_hourly_runs_total')).toBe(isOnNode ? 0 : 1);
    expect(grown('fewerbytes_faults_total{event="email_not_sent"}')).toBe(0);
  });

  it('has figures of the moment where one process is all of the service, and only there', async () => {
    const samples = await samplesOf(await scrape());
    const present = [
      'fewerbytes_jobs{stage="working"}',
      'fewerbytes_places',
      'fewerbytes_memory_held_bytes',
      'fewerbytes_memory_limit_bytes',
      'fewerbytes_state_free_bytes',
      'fewerbytes_main_thread_busy_seconds_total',
      'fewerbytes_work_cpu_seconds_total{input="jpeg"}',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
    ].filter((sample) => (samples.get(sample) ?? -1) >= 0);
    expect(present).toHaveLength(isOnNode ? 10 : 0);
  });

  it('has nothing in it of whoever uses the service', async () => {
    const secret = 'zebra7crossing';
    const client = await service.signedIn(`${secret}@example.com`);
    await client.post('/v1/keys', { name: secret });
    await service.fetch(`/v1/${secret}?${secret}=${secret}`);
    await service.fetch(`/v1/keys/${secret}/revoke`, { method: 'POST' });
    await fetch(new URL(`/${secret}`, service.url), { headers: { 'User-Agent': secret } });
    await fetch(new URL(`/i/${secret}/w_1/${secret}`, service.url));
    await fetch(new URL(`/v1/${'x'.repeat(5000)}`, service.url), { method: 'PROPFIND' });
    await service.optimize(secret, `?${secret}=${secret}`, { 'Content-Type': `image/${secret}` });
    const text = await (await scrape()).text();
    for (const known of [secret, service.key, service.key.slice(0, 11), 'example.com', token]) {
      expect(text).not.toContain(known);
    }
    expect(text).toContain('{route="none",method="other",status="404"} 1\n');
    expect(text).not.toMatch(/PROPFIND|xxxx/);
  });
});

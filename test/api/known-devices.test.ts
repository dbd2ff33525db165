import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { type Client, codeIn, cookieSetBy } from '../support/client.ts';
import { addressOf, sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const minute = 60_000;

/** A browser in which this address has signed in, and signed out again. */
async function knownBrowser(email: string): Promise<Client> {
  const browser = await service.signedIn(email);
  await browser.post('/v1/auth/logout');
  await service.age(email, 2 * minute);
  return browser;
}

const request = (client: Client, email: string) => client.post('/v1/auth/request-code', { email });

/** A code that is certainly wrong. */
const wrong = (code: string, by: number) =>
  String((Number(code) + by) % 10 ** code.length).padStart(code.length, '0');

/** Strangers in ten networks request codes and guess them, as often as they may. */
async function attack(email: string, strangers: readonly Client[], minutes: number): Promise<void> {
  for (let turn = 0; turn < minutes; turn += 1) {
    await service.age(email, minute);
    const stranger = strangers[turn % strangers.length];
    if (!stranger) throw new Error('no stranger');
    await request(stranger, email);
    for (let guess = 0; guess < 2; guess += 1) await stranger.verify(email, `00000${guess}`);
  }
}

describe('a browser that has signed in before', () => {
  it('gets in after an hour of attack from ten networks; without its cookie the limits stand', {
    tags: 'slow',
  }, async () => {
    const email = 'attacked@example.com';
    const browser = await knownBrowser(email);
    const strangers = Array.from({ length: 10 }, () => service.client());
    await attack(email, strangers, 50);
    const stranger = service.client();
    const refused = await request(stranger, email);
    await expectProblem(refused, 'too_many_requests');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(60);
    await attack(email, strangers, 10);

    const code = await browser.requestCode(email);
    expect(code).toMatch(/^\d{6}$/);
    for (let guess = 1; guess < 5; guess += 1) {
      await expectProblem(await browser.verify(email, wrong(code, guess)), 'invalid_code');
    }
    // The attack continues after the newest code.
    for (let guess = 1; guess <= 6; guess += 1) await stranger.verify(email, wrong(code, guess));
    expect((await browser.verify(email, code)).status).toBe(200);
  });

  it('gets in from a network that has entered too many wrong codes', { tags: 'slow' }, async () => {
    const email = 'crowded@example.com';
    const browser = await knownBrowser(email);
    for (let row = 0; row < 6; row += 1) {
      const other = service.client(browser.ip);
      const code = await other.requestCode(`crowd${row}@example.com`);
      for (let guess = 1; guess <= 5; guess += 1) {
        await other.verify(`crowd${row}@example.com`, wrong(code, guess));
      }
    }
    const stranger = service.client(browser.ip);
    const theirs = await stranger.requestCode('crowd6@example.com');
    await expectProblem(await stranger.verify('crowd6@example.com', theirs), 'invalid_code');
    expect((await browser.verify(email, await browser.requestCode(email))).status).toBe(200);
  });

  it('gets a code from a network that asks for too many', async () => {
    const email = 'busy@example.com';
    const browser = await knownBrowser(email);
    const responses = await Promise.all(
      Array.from({ length: 125 }, (_, i) =>
        request(service.client(browser.ip), `busy${i}@example.com`),
      ),
    );
    // The 30th is the request by which the browser became known.
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(29);
    await browser.signIn(email);
  });

  it('is held to 30 wrong codes a day, and then to the limit of its network', {
    tags: 'slow',
  }, async () => {
    const email = 'copied@example.com';
    const browser = await knownBrowser(email);
    for (let turn = 0; turn < 6; turn += 1) {
      const code = await browser.requestCode(email);
      for (let guess = 1; guess <= 5; guess += 1) await browser.verify(email, wrong(code, guess));
      await service.age(email, 13 * minute);
    }
    const compared = async () => {
      const found = await service.database
        .prepare(
          `SELECT count(*) AS n FROM code_tries t JOIN challenges c ON c.id = t.challenge_id
           WHERE c.address = ?1`,
        )
        .bind(await addressOf(email))
        .first();
      return found?.n;
    };
    expect(await compared()).toBe(30);
    // The device has used up its limit, but its network only 20 of the 30 wrong codes per hour.
    const code = await browser.requestCode(email);
    await expectProblem(await browser.verify(email, wrong(code, 1)), 'invalid_code');
    expect(await compared()).toBe(30 + 1);
  });

  it('has five codes an hour of its own, and five tries for each', { tags: 'slow' }, async () => {
    const email = 'own@example.com';
    const browser = await knownBrowser(email);
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await request(browser, email)).status).toBe(200);
      const soon = await request(browser, email);
      await expectProblem(soon, 'too_many_requests');
      if (turn < 4) expect(Number(soon.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
      await service.age(email, minute);
    }
    const late = await request(browser, email);
    await expectProblem(late, 'too_many_requests');
    expect(Number(late.headers.get('Retry-After'))).toBeGreaterThan(60);
    // The limit for unknown devices has not been used.
    expect((await request(service.client(), email)).status).toBe(200);

    await service.age(email, 60 * minute);
    const code = await browser.requestCode(email);
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_, by) => browser.verify(email, wrong(code, by + 1))),
    );
    for (const guess of guesses) await expectProblem(guess, 'invalid_code');
    await expectProblem(await browser.verify(email, code), 'invalid_code');
  });

  it('gets one mail of 20 requests in parallel', { tags: 'slow' }, async () => {
    const email = 'device-parallel@example.com';
    const browser = await knownBrowser(email);
    const before = await service.inbox.count(email);
    const responses = await Promise.all(Array.from({ length: 20 }, () => request(browser, email)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await service.inbox.count(email)).toBe(before + 1);
  });

  it('keeps its code when strangers ask for more', { tags: 'slow' }, async () => {
    const email = 'kept@example.com';
    const browser = await knownBrowser(email);
    const code = await browser.requestCode(email);
    for (let turn = 0; turn < 5; turn += 1) {
      await service.age(email, minute);
      expect((await request(service.client(), email)).status).toBe(200);
    }
    expect((await browser.verify(email, code)).status).toBe(200);
  });

  it('keeps its id when it signs in again', async () => {
    const email = 'again@example.com';
    const browser = await knownBrowser(email);
    const id = browser.cookie('device').slice(0, 26);
    await browser.signIn(email);
    expect(browser.cookie('device').slice(0, 26)).toBe(id);
  });

  it('is marked by a cookie for the sign-in calls alone', async () => {
    const client = service.client();
    const code = await client.requestCode('marked@example.com');
    const response = await client.verify('marked@example.com', code);
    const { value, attributes } = cookieSetBy(response, 'device');
    expect(value).toMatch(/^dev_[0-9A-Za-z]{71}$/);
    expect(attributes).toMatchObject({
      path: '/v1/auth',
      'max-age': '15552000',
      httponly: '',
      secure: '',
      samesite: 'Lax',
    });
  });
});

describe('the limits of strangers', () => {
  /** Whether the browser is limited like unknown ones after a stranger's recent request. */
  async function isStranger(browser: Client, email: string): Promise<boolean> {
    await service.age(email, 2 * minute);
    expect((await request(service.client(), email)).status).toBe(200);
    return (await request(browser, email)).status === 429;
  }

  it('do not apply to a browser in which the address has signed in', async () => {
    const email = 'friend@example.com';
    expect(await isStranger(await knownBrowser(email), email)).toBe(false);
  });

  it('apply to a browser in which another address has', async () => {
    const browser = await knownBrowser('mine@example.com');
    await service.signedIn('yours@example.com');
    expect(await isStranger(browser, 'yours@example.com')).toBe(true);
  });

  it('do when the user has signed out everywhere', { tags: 'slow' }, async () => {
    const email = 'out@example.com';
    const browser = await service.signedIn(email);
    await browser.post('/v1/auth/logout', { everywhere: true });
    expect(await isStranger(browser, email)).toBe(true);
    await service.age(email, 2 * minute);
    await browser.signIn(email);
    expect(await isStranger(browser, email)).toBe(false);
  });

  it('do when the account was deleted, even where there is a new one', {
    tags: 'slow',
  }, async () => {
    const email = 'gone@example.com';
    const browser = await service.signedIn(email);
    await browser.delete('/v1/me', { confirm: email });
    expect(await isStranger(browser, email)).toBe(true);
    await service.age(email, 2 * minute);
    await service.signedIn(email);
    expect(await isStranger(browser, email)).toBe(true);
  });

  it('do when the cookie was changed', async () => {
    const email = 'changed@example.com';
    const browser = await knownBrowser(email);
    const cookie = browser.cookie('device');
    browser.removeCookie('device');
    browser.setCookie(
      'device',
      cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    expect(await isStranger(browser, email)).toBe(true);
  });
});

describe('a code that a known browser has asked for', () => {
  it('can be entered elsewhere, within the budget of strangers', async () => {
    const email = 'elsewhere@example.com';
    const browser = await knownBrowser(email);
    await request(browser, email);
    const code = codeIn(await service.inbox.latest(email));
    const phone = service.client();
    await expectProblem(await phone.verify(email, wrong(code, 1)), 'invalid_code');
    expect((await phone.verify(email, code)).status).toBe(200);
  });
});

describe('known browsers', () => {
  /** Signs in repeatedly without the cookie, each time adding another known browser. */
  async function browsersOf(email: string, count: number): Promise<Client[]> {
    const browsers: Client[] = [];
    for (let i = 0; i < count; i += 1) {
      browsers.push(await service.signedIn(email));
      await service.age(email, 5 * minute);
    }
    return browsers;
  }

  it('of one address have 40 codes a day together, however many there are', {
    tags: 'slow',
  }, async () => {
    const email = 'many@example.com';
    const browsers = await browsersOf(email, 12);
    let sent = 0;
    for (let round = 0; round < 5; round += 1) {
      const responses = await Promise.all(browsers.map((browser) => request(browser, email)));
      sent += responses.filter(({ status }) => status === 200).length;
      await service.age(email, 13 * minute);
    }
    expect(sent).toBe(40);
  });

  it('in one network have 30 mails an hour together, and each its first of the day', {
    tags: 'slow',
  }, async () => {
    const { ip } = service.client();
    const known = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const email = `net${i}@example.com`;
        return { email, browser: (await knownBrowser(email)).movedTo(ip) };
      }),
    );
    const sent = async () => {
      const responses = await Promise.all(
        known.map(({ email, browser }) => request(browser, email)),
      );
      return responses.filter(({ status }) => status === 200).length;
    };
    expect(await sent()).toBe(40);
    await Promise.all(known.map(({ email }) => service.age(email, 2 * minute)));
    expect(await sent()).toBe(0);
    await Promise.all(known.map(({ email }) => service.age(email, 60 * minute)));
    expect(await sent()).toBe(30);
  });

  it('are counted by network for addresses of others', { tags: 'slow' }, async () => {
    const browser = await knownBrowser('curious@example.com');
    const statuses: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 61 }, (_, i) => request(browser, `others${round}.${i}@nowhere`)),
      );
      statuses.push(...responses.map(({ status }) => status));
    }
    // Even if a new minute begins, 60 pass and all others are refused.
    expect(statuses).toContain(429);
  });
});

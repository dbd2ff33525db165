import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import {
  type Device,
  deviceAddress,
  deviceLife,
  deviceOf,
  setDeviceCookie,
} from '../../../src/access/device.ts';
import { secretsOf, secretText } from '../../support/tokens.ts';

const secrets = secretsOf(secretText(['1', 1]));
const now = Date.UTC(2026, 10, 22);
const epoch = now - 5000;
const address = await deviceAddress('a@gmail.com', new Uint8Array(32).fill(5));

/** The cookie of a browser in which someone has signed in. */
async function cookieOf(id: string | null, made = now): Promise<string> {
  const app = new Hono().get('/v1/auth', async (c) => {
    await setDeviceCookie(c, { id, address, epoch }, secrets, made);
    return c.text('');
  });
  return (await app.request('/v1/auth')).headers.get('Set-Cookie') ?? '';
}

/** The device in a cookie. */
async function readAt(cookie: string, time = now, under = secrets): Promise<Device | null> {
  let device: Device | null = null;
  const app = new Hono().get('/', async (c) => {
    device = await deviceOf(c, under, time);
    return c.text('');
  });
  await app.request('/', { headers: { Cookie: cookie.split(';')[0] ?? '' } });
  return device;
}

describe('the cookie of a known device', () => {
  it('is sent to the sign-in calls only, and out of the reach of scripts', async () => {
    const [, ...attributes] = (await cookieOf(null)).split('; ');
    expect(attributes.toSorted()).toEqual(
      ['HttpOnly', 'Max-Age=15552000', 'Path=/v1/auth', 'SameSite=Lax', 'Secure'].toSorted(),
    );
  });

  it('tells address and epoch, for 180 days', async () => {
    const cookie = await cookieOf(null);
    const device = await readAt(cookie);
    expect(device).toEqual({ id: expect.stringMatching(/^[0-9A-Za-z]{22}$/), address, epoch });
    expect(await readAt(cookie, now + deviceLife * 1000)).toEqual(device);
    expect(await readAt(cookie, now + deviceLife * 1000 + 1000)).toBeNull();
  });

  it('keeps the id of a device that was known before', async () => {
    const first = await readAt(await cookieOf(null));
    const again = await readAt(await cookieOf(first?.id ?? null, now + 1000));
    expect(again).toEqual(first);
    expect(await readAt(await cookieOf(null))).not.toEqual(first);
  });

  it('is refused when any one character is changed', async () => {
    const [cookie = ''] = (await cookieOf(null)).split(';');
    for (let at = 'device='.length; at < cookie.length; at += 1) {
      const other = cookie[at] === 'x' ? 'y' : 'x';
      expect(await readAt(cookie.slice(0, at) + other + cookie.slice(at + 1))).toBeNull();
    }
    expect(await readAt(cookie.slice(0, -1))).toBeNull();
    expect(await readAt(`${cookie}0`)).toBeNull();
  });

  it('is refused when the version of its secret has been removed', async () => {
    const cookie = await cookieOf(null);
    expect(await readAt(cookie, now, secretsOf(secretText(['2', 2], ['1', 1])))).not.toBeNull();
    expect(await readAt(cookie, now, secretsOf(secretText(['2', 2])))).toBeNull();
  });
});

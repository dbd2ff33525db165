import { Agent, get, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { RestartableService } from '../../test/support/restartable-service.ts';
import type { Measured } from './load-generator.ts';
import type { Picture } from './pictures.ts';

/** A flood: the same request many times at once. */
export interface Flood {
  readonly what: string;
  readonly picture: Picture;
  readonly requests: number;
}

/** Seconds within which a refusal and the health check have to be answered. */
const maxRefusalSeconds = 35;
const maxHealthSeconds = 2;

/** Seconds within which no reservation may be open any more. */
const maxOpenSeconds = 60;

/** Status, duration in seconds, and what the books need. */
interface Answer {
  readonly status: number | string;
  readonly seconds: number;
  readonly isOptimized: boolean;
  readonly hasRetryAfter: boolean;
}

/**
 * Sends floods through wrangler's proxy and directly to the Worker, and holds the answers against the books: all of them
 * are 200, or 503 with `Retry-After`; as many files are charged as answers were optimized; no reservation stays open;
 * and the health check is answered meanwhile.
 * @param state what has happened to the service before, for the table
 */
export async function sendFloods(
  service: RestartableService,
  keys: readonly string[],
  state: string,
  floods: readonly Flood[],
): Promise<Measured> {
  const rows: string[][] = [];
  const failures: string[] = [];
  let succeeded = 0;
  const inner = await service.innerOrigin();
  const origins = { proxy: service.origin, ...(inner && { Worker: inner }) };
  for (const { what, picture, requests } of floods) {
    for (const [by, origin] of Object.entries(origins)) {
      const charged = await filesCharged(service.origin, keys);
      const { answers, health } = await flood(origin, keys, picture, requests);
      const open = await waitUntilBooked(service);
      const optimized = answers.filter(({ isOptimized }) => isOptimized).length;
      const newlyCharged = (await filesCharged(service.origin, keys)) - charged;
      const with503 = answers.filter(({ status }) => status === 503);
      const [good, odd] = [with200(answers), answers.filter(isOdd)];
      succeeded += good.length;
      const name = `${requests} × ${what}, ${state}, to the ${by}`;
      const say = (fault: string) => failures.push(`${name}: ${fault}`);
      for (const { status } of odd) say(`status ${status}`);
      if (with503.some(({ hasRetryAfter }) => !hasRetryAfter)) say('503 without Retry-After');
      if (longest(with503) > maxRefusalSeconds) say(`503 after ${inSeconds(longest(with503))} s`);
      if (newlyCharged !== optimized) say(`${newlyCharged} charged for ${optimized} answers`);
      if (open > 0) say(`${open} reservations are open after ${maxOpenSeconds} s`);
      if (health > maxHealthSeconds) say(`health check after ${inSeconds(health)} s`);
      rows.push([
        name,
        ...[good, with503, odd].map(({ length }) => String(length)),
        String(newlyCharged),
        ...[longest(good), longest(with503), health].map(inSeconds),
      ]);
    }
  }
  return {
    table: {
      caption: 'Floods: answers, and the longest wait for one in seconds',
      columns: ['', '200', '503', 'other', 'charged', '200, s', '503, s', 'health, s'],
      rows,
    },
    succeeded,
    failures,
  };
}

/** Sends all requests at once, and asks for the health of the service until they are answered. */
async function flood(
  origin: string,
  keys: readonly string[],
  picture: Picture,
  requests: number,
): Promise<{ answers: readonly Answer[]; health: number }> {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const sent = Array.from({ length: requests }, (_, i) =>
    send(origin, keys[i % keys.length] ?? '', picture, agent),
  );
  const state = { isOver: false, health: 0 };
  const watching = (async () => {
    while (!state.isOver) {
      const began = performance.now();
      await new Promise((done) => {
        get(`${origin}/v1/health`, (response) => response.resume().on('end', done)).on(
          'error',
          done,
        );
      });
      state.health = Math.max(state.health, (performance.now() - began) / 1000);
      await pause(200);
    }
  })();
  const answers = await Promise.all(sent);
  state.isOver = true;
  await watching;
  agent.destroy();
  return { answers, health: state.health };
}

function send(
  origin: string,
  key: string,
  { bytes, query }: Picture,
  agent: Agent,
): Promise<Answer> {
  const began = performance.now();
  return new Promise((done) => {
    const end = (status: Answer['status'], headers: Record<string, unknown> = {}) =>
      done({
        status,
        seconds: (performance.now() - began) / 1000,
        isOptimized: status === 200 && headers['image-optimized'] === 'true',
        hasRetryAfter: headers['retry-after'] !== undefined,
      });
    const headers = { Authorization: `Bearer ${key}`, 'Content-Length': bytes.length };
    request(`${origin}/v1/optimize${query}`, { method: 'POST', headers, agent }, (response) => {
      response.resume();
      response.on('end', () => end(response.statusCode ?? 'none', response.headers));
      response.on('error', (error) => end(error.message));
    })
      .on('error', (error) => end(error.message))
      .end(bytes);
  });
}

/** Waits until no reservation is open; returns how many still are after the maximum. */
async function waitUntilBooked(service: RestartableService): Promise<number> {
  for (const end = Date.now() + 1000 * maxOpenSeconds; Date.now() < end; await pause(500)) {
    if (service.reserved() === 0) return 0;
  }
  return service.reserved();
}

/** The files charged to the owners of the keys this month. */
async function filesCharged(origin: string, keys: readonly string[]): Promise<number> {
  const used = await Promise.all(
    keys.map(async (key) => {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${origin}/v1/quota`, { headers });
      const quota = (await response.json()) as { free_quota: { used: number } };
      return quota.free_quota.used;
    }),
  );
  return used.reduce((sum, one) => sum + one, 0);
}

function with200(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter(({ status }) => status === 200);
}

function isOdd({ status }: Answer): boolean {
  return status !== 200 && status !== 503;
}

function longest(answers: readonly Answer[]): number {
  return Math.max(0, ...answers.map(({ seconds }) => seconds));
}

function inSeconds(seconds: number): string {
  return seconds.toFixed(1);
}

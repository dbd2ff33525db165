import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import {
  type FetchingService,
  type ForeignServer,
  startFetchingService,
} from '../support/fetching-service.ts';
import { demandingPicture } from '../support/pictures.ts';
import { eventually } from '../support/time.ts';

const mebibyte = 1024 * 1024;

let service: FetchingService;
let foreign: ForeignServer;
beforeAll(async () => {
  service = await startFetchingService();
  foreign = service.foreign;
}, 120_000);
afterAll(() => service.close());

/** Starts a response that never ends, with one byte per interval in milliseconds. */
function drip(response: ServerResponse, interval: number): void {
  response.write('.');
  const timer = setInterval(() => response.write('.'), interval);
  response.on('close', () => clearInterval(timer));
}

describe('an image that is too large', () => {
  it('and says so is not read', { tags: 'slow' }, async () => {
    const closed = Promise.withResolvers<void>();
    const url = foreign.on('/announced', (response) => {
      response.on('close', () => closed.resolve());
      response.writeHead(200, { 'Content-Length': 33 * mebibyte }).write('foreign words');
    });
    const began = Date.now();
    expect((await service.failure(url, 'body_too_large')).limit_bytes).toBe(32 * mebibyte);
    await closed.promise; // nothing keeps the other server waiting
    expect(Date.now() - began).toBeLessThan(5000);
  });

  it('and does not say so is cut off', { tags: 'slow' }, async () => {
    const url = foreign.on('/chunked', (response) => {
      for (let i = 0; i < 40; i += 1) response.write(new Uint8Array(mebibyte));
      response.end();
    });
    expect((await service.failure(url, 'body_too_large')).limit_bytes).toBe(32 * mebibyte);
  });

  it('only when it is decoded is cut off all the same', { tags: 'slow' }, async () => {
    const bomb = gzipSync(new Uint8Array(40 * mebibyte));
    expect(bomb.length).toBeLessThan(mebibyte / 16);
    const url = foreign.serve('/bomb', bomb, { 'Content-Encoding': 'gzip' });
    const began = Date.now();
    expect((await service.failure(url, 'body_too_large')).limit_bytes).toBe(32 * mebibyte);
    expect(Date.now() - began).toBeLessThan(5000);
  });
});

describe('a server that takes its time', () => {
  it.concurrent.each([
    ['sends no headers', 15_000, () => {}],
    ['sends a byte each second', 15_000, (response: ServerResponse) => drip(response, 1000)],
    ['stops in the middle', 10_000, (response: ServerResponse) => void response.write('.')],
  ])('and %s is given up', { tags: 'slow' }, async (what, after, answer) => {
    let closed = false;
    const url = foreign.on(`/${what.replaceAll(' ', '-')}`, (response) => {
      response.on('close', () => {
        closed = true;
      });
      answer(response);
    });
    const began = Date.now();
    await service.failure(url, 'source_fetch_failed');
    const took = Date.now() - began;
    expect(took).toBeGreaterThan(after - 500);
    expect(took).toBeLessThan(after + 4000);
    await eventually(async () => expect(closed).toBe(true));
  });

  it.concurrent('is hung up on then even when its client has long gone', {
    tags: 'slow',
  }, async () => {
    const closed = Promise.withResolvers<void>();
    const url = foreign.on('/left', (response) => {
      response.on('close', () => closed.resolve());
      drip(response, 100);
    });
    const began = Date.now();
    await expect(
      service.optimize({ url }, { signal: AbortSignal.timeout(1000) }),
    ).rejects.toThrow();
    await closed.promise;
    expect(Date.now() - began).toBeLessThan(19_000);
  });

  it('makes way for other users’ images', { tags: 'slow' }, async () => {
    // Its processing takes nearly all memory that the arena may have, and the arena does not shrink.
    expect((await service.upload(await demandingPicture())).status).toBe(200);
    const url = foreign.on('/slow', (response) => {
      response.writeHead(200, { 'Content-Length': 30 * mebibyte });
      response.write(new Uint8Array(29 * mebibyte));
      drip(response, 1000);
    });
    const slow = service.optimize({ url });
    await eventually(async () => {
      expect(foreign.asked.some(({ url: path }) => path === '/slow')).toBe(true);
    });
    await pause(500);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 415 && statuses.length < 20) {
      statuses.push((await service.upload(new Uint8Array(31 * mebibyte))).status);
    }
    expect(statuses.at(-1)).toBe(415);
    await expectProblem(await slow, 'overloaded');
  });
});

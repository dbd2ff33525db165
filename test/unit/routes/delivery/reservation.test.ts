import { setTimeout as wait } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { describe, expect, it, vi } from 'vitest';
import { type ApiError, definitionOf } from '../../../../src/errors.ts';
import type { Work } from '../../../../src/image/engine.ts';
import type { Ledger } from '../../../../src/meter/ledger.ts';
import type { ResultRequest, Settlement } from '../../../../src/meter/messages.ts';
import { dayOf, nextMonth, quotaTerms } from '../../../../src/policy/quota.ts';
import type { AppEnv } from '../../../../src/routes/http/context.ts';
import {
  allowanceOf,
  type ReservedFile,
  reserveResult,
} from '../../../../src/routes/optimize/reservation.ts';
import { configWith } from '../../../support/config.ts';
import { MeterFile, nothingUsed, site, siteId, userId } from '../../../support/ledger.ts';

// As in Workers.
vi.stubGlobal('scheduler', { wait });

const request: ResultRequest = {
  ...{ siteId, path: 'image', file: 'image/a', maxPerPath: 2, maxPerMinute: 3 },
};

/** A request to the service, whose meters are this ledger. */
class Route {
  readonly ledger: Ledger;
  readonly notes = {};
  readonly #settings: Record<string, string>;
  readonly #background: Promise<unknown>[] = [];

  constructor(settings: Record<string, string> = {}, monthlyLimit: number | null = null) {
    this.#settings = settings;
    this.ledger = new MeterFile().begin({ keys: [...nothingUsed.keys, { ...site, monthlyLimit }] });
  }

  /** Runs a handler, and then what it leaves to be done behind the answer. */
  async run<Result>(handle: (c: Context<AppEnv>) => Promise<Result>): Promise<Result> {
    const { ledger } = this;
    const meter = {
      reserveOfSite: async (...of: Parameters<Ledger['reserveOfSite']>) =>
        ledger.reserveOfSite(...of),
      raise: async (...of: Parameters<Ledger['raise']>) => ledger.raise(...of),
      settle: async (settlement: Settlement) => ledger.settle(settlement),
      giveBack: async (id: string) => ledger.giveBack(id),
    };
    let outcome: Promise<Result> | undefined;
    const app = new Hono<AppEnv>().get('*', async (c) => {
      c.set('config', configWith(this.#settings));
      c.set('notes', this.notes);
      c.set('requestId', 'req_1');
      outcome = handle(c);
      await outcome.catch(() => {});
      return c.body(null);
    });
    const context = {
      ...{ waitUntil: (work: Promise<unknown>) => this.#background.push(work), props: {} },
      passThroughOnException: () => {},
    };
    await app.request('/', {}, { METER: { getByName: () => meter } }, context as never);
    await Promise.all(this.#background);
    if (!outcome) throw new Error('the handler has not run');
    return outcome;
  }

  reserve(changes: Partial<ResultRequest> = {}): Promise<ReservedFile> {
    return this.run((c) => reserveResult(c, 'mbx_1', { ...request, ...changes }));
  }

  /** Why a result is refused, with the seconds until it is not. */
  async refusal(changes: Partial<ResultRequest> = {}): Promise<[string, number | null]> {
    const error = await this.reserve(changes).then(
      () => expect.fail('it was reserved'),
      (thrown: ApiError) => thrown,
    );
    const wait = error.headers['Retry-After'];
    expect(wait !== undefined).toBe(definitionOf(error.code).header === 'Retry-After');
    return [error.code, wait === undefined ? null : Number(wait)];
  }
}

const untilNextMonth = () => (nextMonth(Date.now()).getTime() - Date.now()) / 1000;

describe('a reserved result', () => {
  it('is charged at its end, once a month, and logged with its site', async () => {
    const route = new Route();
    for (const isRepeated of [false, true]) {
      const reserved = await route.reserve();
      expect(reserved).toMatchObject({ mailboxId: 'mbx_1', isRepeated });
      await route.run(async (c) => {
        const answered = { bytesIn: 1000, bytesOut: 400 };
        const end = { answered, charged: true, cpuMs: 100 };
        allowanceOf(c, reserved, request.file).settle(end, Promise.resolve(true));
      });
    }
    expect(route.notes).toMatchObject({ key_id: siteId });
    const terms = quotaTerms(Date.now(), configWith());
    expect(route.ledger.balance({ userId }, terms)?.freeUsed).toBe(1);
    expect(route.ledger.keyUses(userId, dayOf(Date.now()))).toContainEqual(
      expect.objectContaining({ id: siteId, monthUsed: 2 }),
    );
    expect(route.ledger.inFlight(Date.now()).count).toBe(0);
  });

  it('is given back', async () => {
    const route = new Route({}, 1);
    const reserved = await route.reserve();
    expect(await route.refusal()).toEqual(['site_limit_exceeded', expect.any(Number)]);
    await route.run(async (c) => allowanceOf(c, reserved, request.file).giveBack());
    expect(await route.reserve()).toMatchObject({ mailboxId: 'mbx_1' });
  });
});

describe('a result that cannot be reserved', () => {
  it('says for how long, where a limit of the site is reached', async () => {
    const monthly = new Route({}, 1);
    await monthly.reserve();
    const ofImage = new Route();
    for (const file of ['image/a', 'image/b']) await ofImage.reserve({ file });
    for (const refusal of [monthly.refusal(), ofImage.refusal({ file: 'image/c' })]) {
      const [code, wait] = await refusal;
      expect(code).toBe('site_limit_exceeded');
      expect(Math.abs((wait ?? 0) - untilNextMonth())).toBeLessThan(60);
    }
    const ofMinute = new Route();
    const ofAccount = new Route({ MAX_FILES_PER_MINUTE: '1' });
    const anyNumber = { maxPerPath: null, maxPerMinute: 1 };
    for (const route of [ofMinute, ofAccount]) {
      // Another minute may begin in between.
      const answers = [];
      while (answers.length < 3) answers.push(await route.reserve(anyNumber).catch((it) => it));
      const refused = answers.find((answer) => 'code' in answer) as ApiError;
      expect(refused.code).toBe('site_limit_exceeded');
      expect(Number(refused.headers['Retry-After'])).toBeLessThanOrEqual(60);
    }
  });

  it('says what else it lacks', async () => {
    expect(await new Route().refusal({ siteId: 'site_9' })).toEqual(['site_not_found', null]);
    const used = new Route({ FREE_FILES_PER_MONTH: '1' });
    await used.reserve();
    expect(await used.refusal({ file: 'image/b' })).toEqual(['quota_exceeded', null]);
    const uncharged = new Route({ UNCHARGED_PER_DAY: '1' });
    await uncharged.reserve();
    expect(await uncharged.refusal()).toEqual(['too_many_requests', 1]);
  });

  it('leaves half of what may be uncharged to the owner, where anyone can ask for results', async () => {
    const route = new Route({ UNCHARGED_PER_DAY: '4', UNCHARGED_CPU_SECONDS_PER_DAY: '60' });
    const spend = async (changes: Partial<ResultRequest>) => {
      const reserved = await route.reserve(changes);
      await route.run(async (c) => {
        const allowance = allowanceOf(c, reserved, reserved.id);
        allowance.settle({ answered: null, charged: false, cpuMs: 1 }, Promise.resolve(true));
      });
    };
    const byAnyone = { maxPerMinute: 10 };
    const byOwner = { maxPerMinute: 10, maxPerPath: null };
    await spend(byAnyone);
    await spend(byAnyone);
    const [code, wait] = await route.refusal(byAnyone);
    expect(code).toBe('too_many_requests');
    expect(wait).toBeGreaterThan(1);
    await spend(byOwner);
    await spend(byOwner);
    expect(await route.refusal(byOwner)).toEqual(['too_many_requests', expect.any(Number)]);
  });

  it('leaves half of their computing time to the owner', async () => {
    const route = new Route({ UNCHARGED_CPU_SECONDS_PER_DAY: '60' });
    const permitted = (reserved: ReservedFile) =>
      route.run(async (c) => allowanceOf(c, reserved).permit({ cpuMs: 40_000 } as Work));
    await expect(permitted(await route.reserve())).rejects.toMatchObject({
      code: 'too_many_requests',
    });
    await permitted(await route.reserve({ maxPerPath: null }));
  });
});

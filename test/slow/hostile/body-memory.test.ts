import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { IsolateHeap } from '../../support/isolate-heap.ts';
import { canMeasureMemory } from '../../support/processes.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import {
  forgedSignature,
  type SlowRequest,
  slowRequests,
  TricklingBody,
  trickle,
} from '../../support/trickling.ts';

const mebibyte = 2 ** 20;

/** On each route. */
const connections = 400;

let service: RestartableService;
let heap: IsolateHeap;
let requests: readonly SlowRequest[];
beforeAll(async () => {
  service = await RestartableService.start();
  const client = new Client(service.origin);
  await client.signIn('trickling@gmail.com');
  heap = await IsolateHeap.connect(service);
  const document = await (await fetch(`${service.origin}/v1/openapi.json`)).json();
  // in the future: it does not get old while the other routes have their turn
  const signature = forgedSignature(-3600);
  const key = await client.post('/v1/keys', { name: 'trickling' });
  const { key: secret } = (await key.json()) as { key: string };
  requests = slowRequests(document, { sid: client.cookie('sid'), key: secret, signature });
  // the local runtime takes its memory for many requests at once with the first of them, and keeps it
  for (let round = 0; round < 3; round += 1) await manyRequests();
});
afterAll(async () => {
  heap.close();
  await service.close();
});

async function manyRequests(): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const response = await fetch(new URL('/v1/keys', service.origin), { method: 'POST' });
      await response.text();
    }),
  );
}

interface Rise {
  /** In MiB: what the Worker holds while the bodies trickle, beyond what it held before, and afterwards. */
  readonly held: number;
  readonly heldAfter: number;
  /** In MiB: of the process of the local runtime, all that it is there for included. */
  readonly resident: number;
  /** In milliseconds. */
  readonly slowestHealth: number;
  readonly longestConnection: number;
  readonly statuses: string;
}

async function riseWith(request: SlowRequest): Promise<Rise> {
  const before = await heap.held();
  const residentBefore = service.runtimeMemory() ?? 0;
  const bodies = Array.from(
    { length: connections },
    () => new TricklingBody(new URL(service.origin), request),
  );
  let [held, resident, slowestHealth] = [before, residentBefore, 0];
  let checks = 0;
  await trickle(bodies, 30_000, async () => {
    const asked = Date.now();
    await (await fetch(`${service.origin}/v1/health`)).text();
    slowestHealth = Math.max(slowestHealth, Date.now() - asked);
    resident = Math.max(resident, service.runtimeMemory() ?? 0);
    checks += 1;
    // when all of them are there, and long before the first one ends
    if (checks === 6) held = await heap.held();
    await pause(500);
  });
  const statuses = new Set(bodies.map(({ status }) => status));
  return {
    held: (held - before) / mebibyte,
    heldAfter: ((await heap.held()) - before) / mebibyte,
    resident: (resident - residentBefore) / mebibyte,
    slowestHealth,
    longestConnection: Math.max(...bodies.map(({ duration }) => duration)),
    statuses: [...statuses].join(', '),
  };
}

it.runIf(isFull && canMeasureMemory)(
  `${connections} bodies that trickle take little of the Worker’s memory, and give it back`,
  async () => {
    const rows: Record<string, Rise> = {};
    const plain = { method: 'POST', path: '/v1/nothing', headers: {}, start: '' };
    for (const request of [plain, ...requests]) {
      rows[`${request.method} ${request.path}`] = await riseWith(request);
    }
    console.table(rows);
    for (const [route, { held, heldAfter }] of Object.entries(rows)) {
      expect(held, route).toBeLessThan(16);
      expect(heldAfter, route).toBeLessThan(1);
    }
  },
  900_000,
);

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/local/free-port.ts';
import { isWritable } from '../../../src/node/storage/sqlite-file.ts';
import { NodeServer } from '../../support/node/node-server.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { eventually } from '../../support/time.ts';
import { meterContradictions } from './contradictions.ts';
import { expectPartAway, FailingService, isWell } from './failing-service.ts';
import { SmallDisk } from './small-disk.ts';

const whyNot = 'only root may mount a small disk';

describe('a disk that is full', () => {
  const disk = SmallDisk.mount();
  let service: FailingService;
  beforeAll(async () => {
    if (disk) service = await FailingService.start({}, join(disk.path, 'data'));
  });
  afterAll(async () => {
    if (!disk) return;
    await service.close();
    disk.unmount();
  });

  it('is an answer to try again and a line in the log, costs nothing, and is over when there is room', async ({
    skip,
  }) => {
    if (!disk) return skip(whyNot);
    expect((await service.optimize()).status).toBe(200);
    const used = await service.used();
    disk.fill();
    let refused = 0;
    let answered = 0;
    // What a log has room for goes on for a while.
    for (let i = 0; i < 40; i += 1) {
      const answer = await service.optimize();
      if (answer.status === 200) answered += 1;
      else {
        await expectPartAway(answer);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(10);
    await expectPartAway(await service.client.post('/v1/keys', { name: 'no room' }));
    expect(await service.health()).not.toEqual(isWell);
    // What only reads goes on.
    expect((await service.client.get('/v1/me')).status).toBe(200);
    expect((await fetch(service.url('/'))).status).toBe(200);
    disk.empty();
    expect(await service.health()).toEqual(isWell);
    await expect.poll(() => service.used()).toBe(used + answered);
    expect((await service.optimize()).status).toBe(200);
    expect((await service.client.post('/v1/keys', { name: 'room' })).status).toBe(201);
    expect(await service.used()).toBe(used + answered + 1);
    await expect.poll(() => service.parts.reserved()).toBe(0);
    expect(service.parts.meters.flatMap((meter) => meter.open(meterContradictions))).toEqual([]);
    expect(service.parts.output).toContain('disk_full');
  }, 120_000);

  it('that a kill comes on top of loses nothing either', async ({ skip }) => {
    if (!disk) return skip(whyNot);
    const used = await service.used();
    disk.fill();
    await service.optimize();
    service.parts.killAll();
    disk.empty();
    await service.parts.start();
    const after = await service.used();
    expect([used, used + 1]).toContain(after);
    expect((await service.optimize()).status).toBe(200);
  });
});

describe('a state folder that cannot be written', () => {
  it('ends the start with one line that names it', async ({ skip }) => {
    const disk = SmallDisk.mount();
    if (!disk) return skip(whyNot);
    try {
      const folder = join(disk.path, 'data');
      const service = await RestartableService.start({}, folder);
      service.killAll();
      // Until the process has gone.
      await eventually(async () => disk.makeReadOnly());
      // What health says of one that runs: a disk with files that are written cannot be made read-only by hand.
      expect([isWritable(disk.path), isWritable(service.stateDirectory)]).toEqual([false, false]);
      await expect(service.start()).rejects.toThrow(
        /^The service did not start\.\n[^\n]*data[^\n]*\n$/,
      );
      await service.stripe.stop();
    } finally {
      disk.unmount();
    }
  });
});

describe('a second server', () => {
  it('on the same folder ends with one line, and the first goes on; after a kill, another may start', async () => {
    const service = await FailingService.start();
    const { stateDirectory } = service.parts;
    const second = NodeServer.start({ port: await freePort(), stateDirectory, texts: {} });
    await expect(second).rejects.toThrow(
      /^The service did not start\.\nAnother server uses the state folder [^\n]*\n$/,
    );
    expect((await service.optimize()).status).toBe(200);
    service.parts.killAll();
    await service.parts.start();
    expect((await service.optimize()).status).toBe(200);
    await service.close();
  });
});

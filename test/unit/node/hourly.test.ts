import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hourlyWork } from '../../../src/hourly.ts';
import { openState } from '../../../src/node/storage/state-folder.ts';
import type { R2Bucket } from '../../../src/platform.ts';
import { inFolder, noOthers, placeOf } from '../../support/bindings.ts';

const hour = 60 * 60 * 1000;

async function keysIn(bucket: R2Bucket | undefined): Promise<string[]> {
  const page = await bucket?.list({ prefix: '', limit: 10 });
  return (page?.objects ?? []).map(({ key }) => key);
}

it('when the database fails, everything else that is cleared each hour makes room, and all failures are told', async () => {
  await inFolder(async (folder) => {
    const state = await openState(placeOf(folder));
    const platform = state.platform(noOthers);
    const { DB, RESULTS, OUTPUTS } = platform;
    await OUTPUTS?.put('output:old:result', 'old');
    // Unread for long, swept, and beyond what results may take.
    for (const site of ['site_0', 'site_1', 'site_2']) await RESULTS?.put(`${site}/a/b`, 'old');
    await DB.batch(
      [
        `INSERT INTO mailboxes (id) VALUES ('mbx_1')`,
        `INSERT INTO users (id, mailbox_id, epoch, created_at) VALUES ('usr_1', 'mbx_1', 0, 0)`,
        // Not published, which fails, and not swept.
        `INSERT INTO sites (id, user_id, slug, name, source, signed, secrets, presets, presets_only, cache_seconds,
                            on_error, status, unswept_since, created_at, deleted_at)
         VALUES ('site_1', 'usr_1', 'one', '', '', 0, '[]', '{}', 0, 60, 'error', 'deleted', 0, 0, 9e15)`,
        'DROP TABLE sessions',
        'DROP TABLE kv',
      ].map((sql) => DB.prepare(sql)),
    );
    // As if it had been deleted meanwhile.
    symlinkSync('nowhere', join(folder, '.backup-abcdef'));

    // At this hour, results of sites that end in 0 are looked at.
    const now = 16 * hour * Math.ceil((Date.now() + 40 * 24 * hour) / (16 * hour));
    const work = hourlyWork(platform, now, state.clear(now, Number.POSITIVE_INFINITY));
    await expect(work).rejects.toThrow(/no such table: sessions.*; .*no such table: kv/);
    expect(await keysIn(OUTPUTS)).toEqual([]);
    expect(await keysIn(RESULTS)).toEqual(['site_2/a/b']);

    const ends = await Promise.allSettled(state.clear(now, 0));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(await keysIn(RESULTS)).toEqual([]);
    await state.close();
  });
});

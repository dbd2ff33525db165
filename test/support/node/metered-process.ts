/** Uses files of a mailbox, one after the other, and tells its parent of each, until it is killed. */
import { join } from 'node:path';
import { provideGlobals } from '../../../src/node/http/streams.ts';
import { Meters } from '../../../src/node/storage/objects.ts';
import { openRecords } from '../../../src/node/storage/state-folder.ts';
import { placeOf } from '../bindings.ts';
import { meterPlatform, useFile } from './metered.ts';

const [folder = '', mailboxId = '', keyHash = ''] = process.argv.slice(2);
provideGlobals();
const { DB } = await openRecords(placeOf(folder));
const meters = new Meters(join(folder, 'meters'), meterPlatform(DB));
for (;;) {
  await useFile(meters.getByName(mailboxId), keyHash);
  process.send?.('used');
  await new Promise((next) => setImmediate(next));
}

/**
 * `npm run bench:metering [-- --minutes 5]`: measures the cost of counting. Sends a hundred JPEGs of one megapixel per
 * minute with one key, for five minutes, then with fifty keys of one account, then with one key whose requests are
 * logged, and prints the durable rows (rows of the meter and of the log, alarms, rows of D1) and the dollars that each run
 * costs. Before that, prints how long a meter takes for a file beside the lanes that a burst has left. Ends with a verdict.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../scripts/local/options.ts';
import { setup as bundleWorker } from '../test/support/bundled-worker.ts';
import { plainPicture } from '../test/support/pictures.ts';
import { startTestService } from '../test/support/service.ts';
import { terminalTable } from './harness/report.ts';
import { costOf, countersOf } from './service/cost.ts';
import { laneTimes } from './service/lane-times.ts';
import { workerdOfService } from './service/workerd.ts';

/** Maximum values with one key: rows per file, rows in D1 per file, and dollars per 1,000 files. */
const limits = { rows: 2.2, databaseRows: 0.1, dollars: 0.0035 };
/** Maximum number of rows per file that the log of the key adds. */
const maxLogRows = 1;
const filesPerMinute = 100;
const minute = 60_000;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '5' } } });
const minutes = wholeNumber('minutes', values.minutes, 1);

laneTimes(1); // warm-up, so that the code is compiled
console.log(
  terminalTable({
    caption: 'One file in a ledger with so many lanes',
    columns: ['lanes', 'to reserve, µs', 'to settle, µs'],
    rows: [1, 100, 2000]
      .map(laneTimes)
      .map(({ lanes, reserve, settle }) => [String(lanes), reserve.toFixed(0), settle.toFixed(0)]),
  }),
);

const photo = Uint8Array.from(await plainPicture(1152, 864).jpeg({ quality: 92 }).toBuffer());
const one = await measured(1, 'off');
const fifty = await measured(50, 'off');
const logged = await measured(1, 'on');
console.log(
  terminalTable({
    caption: `A hundred files a minute for ${minutes} minutes`,
    columns: [
      'keys',
      'log',
      'files',
      'rows a file',
      'of them in D1',
      'CPU, ms',
      '$ for 1,000 files',
    ],
    rows: [one, fifty, logged].map((row) => [
      String(row.keys),
      row.log,
      String(row.files),
      row.rows.toFixed(3),
      row.databaseRows.toFixed(3),
      row.cpu.toFixed(1),
      row.dollars.toFixed(5),
    ]),
  }),
);
const isGood =
  one.rows <= limits.rows &&
  one.databaseRows <= limits.databaseRows &&
  one.dollars <= limits.dollars &&
  logged.rows - one.rows <= maxLogRows;
console.log(isGood ? 'within limits' : `beyond ${JSON.stringify({ ...limits, maxLogRows })}`);
process.exitCode = isGood ? 0 : 1;

/** Measures a steady stream through a number of keys of one account. */
async function measured(keys: number, log: 'on' | 'off') {
  bundleWorker();
  const service = await startTestService({ KEY_LOG: log });
  try {
    const email = 'steady@example.com';
    const all: string[] = [];
    for (let i = 0; i < keys; i += 1) all.push(await service.keyOf(email));
    const send = async (key: string) => {
      const headers = { Authorization: `Bearer ${key}` };
      const path = '/v1/optimize?quality=77';
      const response = await service.fetch(path, { method: 'POST', headers, body: photo });
      if (response.status !== 200) throw new Error(await response.text());
      await response.arrayBuffer();
    };
    // Warm-up, so that the code is compiled and the meter is active.
    for (let i = 0; i < 20; i += 1) await send(all[i % keys] ?? '');
    const meter = await service.meters.of(email);
    const keyLog = await service.meters.logOf(email);
    await meter.flush();
    const before = await countersOf(meter);
    const loggedBefore = await keyLog.writes();
    const workerd = workerdOfService();
    const cpuBefore = workerd.spent();
    const files = minutes * filesPerMinute;
    const began = Date.now();
    const sent: Promise<void>[] = [];
    for (let i = 0; i < files; i += 1) {
      await pause(Math.max(0, began + (i * minute) / filesPerMinute - Date.now()));
      sent.push(send(all[i % keys] ?? ''));
    }
    await Promise.all(sent);
    await pause(Math.max(0, began + minutes * minute - Date.now()));
    // The last requests are recorded a second after their end.
    await pause(2000);
    await meter.flush();
    const cpu = (workerd.spent() - cpuBefore) / files;
    const after = await countersOf(meter);
    const loggedAfter = await keyLog.writes();
    const ofLog = loggedAfter.rows + loggedAfter.alarms - loggedBefore.rows - loggedBefore.alarms;
    const databaseRows = (after.databaseRows - before.databaseRows) / files;
    const own = (after.rows - before.rows + ofLog) / files;
    // One call to reserve, one to settle, at most one to log, and one alarm per minute; the meter is active only as long
    // as these take.
    const calls = (log === 'on' ? 3 : 2) + 1 / filesPerMinute;
    const metering = { calls, active: 0.01, rows: own, databaseRows };
    const { total: dollars } = costOf(1000, cpu, metering);
    return { keys, log, files, rows: own + databaseRows, databaseRows, cpu, dollars };
  } finally {
    await service.close();
  }
}

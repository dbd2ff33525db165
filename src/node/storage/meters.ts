import { keyLogOn } from '../../key-log/key-log.ts';
import { type MeterPlatform, meterOn } from '../../meter/meter.ts';
import type { Platform } from '../../platform.ts';
import { Objects } from './objects.ts';

/** How many of each stay open. */
const maxOpen = { meters: 128, keyLogs: 32 };

/** Alarms of meters that have figures to write come within this time, in milliseconds. */
const soon = 5 * 60_000;

const Meter = meterOn(class {});
const KeyLog = keyLogOn(class {});

/** The meters of all mailboxes. */
export class Meters extends Objects<MeterPlatform, InstanceType<typeof Meter>> {
  /** @param limit meters that stay open */
  constructor(folder: string, platform: MeterPlatform, limit = maxOpen.meters) {
    super({ Class: Meter, folder, platform, limit });
  }

  /** Writes what the database of accounts lacks, and closes all files, once calls in progress have ended. */
  override close(): Promise<void> {
    return super.close(Date.now() + soon, (meter) => meter.flush());
  }
}

/** The logs of the keys of all mailboxes. */
export class KeyLogs extends Objects<Pick<Platform, 'DB'>, InstanceType<typeof KeyLog>> {
  constructor(folder: string, platform: Pick<Platform, 'DB'>) {
    super({ Class: KeyLog, folder, platform, limit: maxOpen.keyLogs });
  }
}

import { monthOf, nextMonth } from '../policy/quota.ts';
import { monthOfDay } from './lane-sums.ts';
import type { Lanes } from './lanes.ts';
import { chargedFileLife, type ResultRequest } from './messages.ts';
import type { AccountRow, LaneRow, MadeResult } from './rows.ts';
import type { Tables } from './tables.ts';

/** A site, its owner, and a day of the month that is meant. */
type SiteOnDay = Pick<LaneRow, 'userId' | 'keyId' | 'day'>;

/** Rows of past months that a flush deletes: it must not hold up the meter, and there is another one in a minute. */
const clearedPerFlush = 20_000;

/** Later than all months: everything was before. */
const endOfMonths = '9999-99';

/**
 * The results that sites make, by month: each is charged once, and there may be a limit to how many are made of one
 * image. Those of a month are in the tables until it is over, because they may be too many for memory; those that are
 * being made are in the lanes. Results belong to the month in which they were reserved.
 */
export class SiteResults {
  readonly #tables: Tables;
  readonly #lanes: Lanes;

  constructor(tables: Tables, lanes: Lanes) {
    this.#tables = tables;
    this.#lanes = lanes;
  }

  /** Whether a result was charged in the month. */
  wasCharged(site: SiteOnDay, file: string): boolean {
    return this.#tables.wasChargedAsMade(madeResult(site, file)) === true;
  }

  /**
   * Whether a site may not make another result of an image in the month. One that it has made or is making is not
   * another one.
   */
  isPathFull(
    site: SiteOnDay,
    { path, file, maxPerPath }: Pick<ResultRequest, 'path' | 'file' | 'maxPerPath'>,
    now: number,
  ): boolean {
    if (maxPerPath === null) return false;
    if (this.#tables.wasChargedAsMade(madeResult(site, file)) !== null) return false;
    const files = new Set(this.#lanes.resultsInFlight(site, path, now));
    if (files.has(file)) return false;
    for (const one of this.#tables.madeLike(madeResult(site, path), maxPerPath)) files.add(one);
    return files.size >= maxPerPath;
  }

  /** Records a result that was made, and whether it has been charged now. */
  note(site: SiteOnDay, file: string, isCharged: boolean): void {
    const result = madeResult(site, file);
    const known = this.#tables.wasChargedAsMade(result);
    if (known === null || (isCharged && !known)) this.#tables.saveMade(result, isCharged);
  }

  /** When `forget` has something to delete, in milliseconds since 1970; null: nothing is kept. */
  nextLapse(): number | null {
    const month = this.#tables.firstMonthMade();
    return month === null ? null : nextMonth(Date.parse(month)).getTime() + chargedFileLife;
  }

  /**
   * Deletes what is no longer needed: results of months that are over, also for requests that began in them, and all of
   * deleted accounts.
   */
  forget(accounts: readonly AccountRow[], now: number): void {
    const month = monthOf(now - chargedFileLife);
    for (const { userId, isDeleted } of accounts) {
      if (isDeleted) this.#tables.forgetMade(userId, endOfMonths, -1);
      else this.#tables.forgetMade(userId, month, clearedPerFlush);
    }
  }
}

function madeResult({ userId, keyId, day }: SiteOnDay, file: string): MadeResult {
  return { userId, month: monthOfDay(day), siteId: keyId, file };
}

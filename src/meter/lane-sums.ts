import type { Figures, LaneRow, Reservation } from './rows.ts';

/** Sums by name, of whole numbers; those that are zero take no memory. */
class Tally {
  readonly #sums = new Map<string, number>();

  of(name: string): number {
    return this.#sums.get(name) ?? 0;
  }

  add(name: string, amount: number): void {
    const sum = this.of(name) + amount;
    if (sum === 0) this.#sums.delete(name);
    else this.#sums.set(name, sum);
  }
}

/** Results that sites are making, by month, site and image. Those that nobody makes take no memory. */
class ResultsInFlight {
  /** The number of requests that make a result, by its name below that of its image. */
  readonly #requests = new Map<string, Map<string, number>>();

  of(image: string): Iterable<string> {
    return this.#requests.get(image)?.keys() ?? [];
  }

  add(image: string, file: string, amount: number): void {
    const requests = this.#requests.get(image) ?? new Map<string, number>();
    const sum = (requests.get(file) ?? 0) + amount;
    if (sum === 0) requests.delete(file);
    else requests.set(file, sum);
    if (requests.size === 0) this.#requests.delete(image);
    else this.#requests.set(image, requests);
  }
}

/** Identifies an image of a site in the month of a day. */
export function imageOf({ keyId, day }: Pick<LaneRow, 'keyId' | 'day'>, path: string): string {
  return `${monthOfDay(day)} ${keyId} ${path}`;
}

/** What the lanes of a mailbox count and have reserved, over all keys: changed with each lane, and never added up. */
export class LaneSums {
  /** Free files by month, and paid ones by user: used, and reserved. */
  readonly free = { used: new Tally(), reserved: new Tally() };
  readonly paid = { used: new Tally(), reserved: new Tally() };
  /** Uncharged responses and their CPU time in milliseconds, by day. */
  readonly uncharged = { responses: new Tally(), cpu: new Tally() };
  /** Requests in flight, and their CPU time in milliseconds. */
  readonly inFlight = { count: 0, cpu: 0 };
  readonly results = new ResultsInFlight();

  /** Adds figures of a lane or a group of lanes, or takes them away. */
  count(
    { userId, day }: Pick<LaneRow, 'userId' | 'day'>,
    { free = 0, paid = 0, uncharged = 0, unchargedCpu = 0 }: Partial<Figures>,
    sign: 1 | -1,
  ): void {
    this.free.used.add(monthOfDay(day), sign * free);
    this.paid.used.add(userId, sign * paid);
    this.uncharged.responses.add(day, sign * uncharged);
    this.uncharged.cpu.add(day, sign * unchargedCpu);
  }

  /** Adds the reservation of a lane, or takes it away. */
  countReservation(
    lane: Pick<LaneRow, 'userId' | 'keyId' | 'day'>,
    { pool, cpu, takenOver, makes }: Reservation,
    sign: 1 | -1,
  ): void {
    const { userId, day } = lane;
    this.inFlight.count += sign;
    this.inFlight.cpu += sign * (cpu + (takenOver?.cpu ?? 0));
    if (pool === 'free') this.free.reserved.add(monthOfDay(day), sign);
    if (pool === 'paid') this.paid.reserved.add(userId, sign);
    if (makes) this.results.add(imageOf(lane, makes.path), makes.file, sign);
  }
}

/** The month of a day, YYYY-MM. */
export function monthOfDay(day: string): string {
  return day.slice(0, 7);
}

import type { ObjectContext } from '../platform.ts';

type Storage = Pick<ObjectContext['storage'], 'getAlarm' | 'setAlarm'>;

/** No time. */
const never = Number.POSITIVE_INFINITY;

/**
 * The alarm of an object: a single one, which is billed as a row each time it is set. A time between two milliseconds becomes
 * the later one: not every platform takes fractions.
 */
export class Alarm {
  readonly #storage: Storage;
  /** The time that it is set to, in milliseconds since 1970, or `never`; null if unknown. */
  #time: number | null = null;
  /** How often it was set since the object was loaded. */
  timesSet = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The alarm has come, so none is set any more. */
  wasCalled(): void {
    this.#time = never;
  }

  /** Ensures that there is an alarm at this time, or earlier. */
  ensureBy(time: number): Promise<void> {
    const whole = Math.ceil(time);
    return this.#ensure(whole, whole);
  }

  /** Ensures that there is any alarm, at this time if there is no other. */
  ensureAny(time: number): Promise<void> {
    return this.#ensure(time, Number.MAX_VALUE);
  }

  async #ensure(time: number, latest: number): Promise<void> {
    const known = this.#time;
    if (known !== null && known <= latest) return;
    // Prevents concurrent calls from setting another alarm.
    this.#time = time;
    try {
      if (known === null) {
        const stored = await this.#storage.getAlarm();
        // Otherwise an earlier one has been set meanwhile.
        if (this.#time !== time) return;
        if (stored !== null && stored <= latest) {
          this.#time = stored;
          return;
        }
      }
      await this.set(time);
    } catch (error) {
      this.#time = null;
      throw error;
    }
  }

  /** Sets it to this time, instead of any other. */
  async set(time: number): Promise<void> {
    const whole = Math.ceil(time);
    await this.#storage.setAlarm(whole);
    this.#time = whole;
    this.timesSet += 1;
  }
}

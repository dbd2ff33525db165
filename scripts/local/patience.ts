import { setTimeout as pause } from 'node:timers/promises';

/** Once more, a few times, while a service that runs beside has the database locked. */
export async function withPatience<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const isLocked = [error, (error as Error).cause].some((one) =>
        /SQLITE_BUSY/.test(String(one)),
      );
      if (!isLocked || tries === 8) throw error;
      await pause(50 * 2 ** tries);
    }
  }
}

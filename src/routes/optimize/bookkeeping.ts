import { persistently } from '../../store/database.ts';

/**
 * The books are kept after the answer, so that who loses an answer in a crash
 * does not pay for it. What the runtime calls sent is still on its way through
 * buffers, so bookings wait for half as long as the request took, within these
 * bounds, in milliseconds. No longer: a crash should cost us no more files than
 * there were requests in flight.
 */
const shortestRest = 15;
const longestRest = 60;

/** How long, in milliseconds, figures wait for what is being booked. */
const patience = 1000;
const pause = 10;

/** What this isolate is about to book. */
const open = new Set<{ readonly userId: string }>();

/** A request that has been answered. */
export interface Answered {
  readonly reservationId: string;
  readonly userId: string;
  /** When it came, in milliseconds. */
  readonly began: number;
  /** Settles when the answer has left. */
  readonly sent: Promise<void>;
}

/** Books the end of a request when its answer has left; never throws. */
export async function book(
  { reservationId, userId, began, sent }: Answered,
  work: () => Promise<void>,
): Promise<void> {
  await sent;
  const booking = { userId };
  open.add(booking);
  try {
    const rest = (Date.now() - began) / 2;
    await scheduler.wait(Math.min(longestRest, Math.max(shortestRest, rest)));
    await persistently(work);
  } catch (error) {
    // The customer has the file for nothing; the reservation expires.
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ event: 'not_booked', reservation_id: reservationId, error: stack });
  } finally {
    open.delete(booking);
  }
}

/**
 * Waits until what this isolate had answered the user before is in the books.
 * Figures asked for right after an answer then have it in them, where both
 * requests met the same isolate; elsewhere they may be a moment behind.
 * @returns whether there was anything to wait for
 */
export async function upToDate(userId: string): Promise<boolean> {
  const began = Date.now();
  const awaited = [...open].filter((booking) => booking.userId === userId);
  while (awaited.some((booking) => open.has(booking)) && Date.now() - began < patience) {
    await scheduler.wait(pause);
  }
  return awaited.length > 0;
}

/**
 * Waits until this isolate's books are up to date, before work that would keep
 * them waiting for long.
 */
export async function allBooked(): Promise<void> {
  for (let waited = 0; open.size > 0 && waited < longestRest * 4; waited += pause) {
    await scheduler.wait(pause);
  }
}

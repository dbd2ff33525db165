import { retryOutages } from '../../store/database.ts';
import { type Settlement, settleReservations } from '../../store/reservations.ts';

/**
 * Bookings are made after the answer, so that nobody pays for an answer that was
 * lost in a crash. An answer that the runtime calls sent is still on its way
 * through buffers, so a booking waits for half as long as the request took,
 * within these bounds in milliseconds. No longer: a crash should cost the
 * operator no more files than there were requests in flight.
 */
const minDelay = 15;
const maxDelay = 60;

/** How long figures wait for bookings, in milliseconds. */
const bookingsTimeout = 1000;
const pollInterval = 10;

/** Bookings that this isolate is about to make. */
const pending = new Set<{ readonly userId: string; readonly since: number }>();

/** How long a booking is waited for, in milliseconds: longer ago its request was torn down. */
const maxPendingAge = 30_000;

/** A request that has been answered. */
export interface Answered {
  readonly userId: string;
  /** When it arrived, in milliseconds. */
  readonly began: number;
  /** Settles when the answer has left. */
  readonly sent: Promise<void>;
}

/** Books the end of a request when its answer has left; never throws. */
export async function book(
  db: D1Database,
  { userId, began, sent }: Answered,
  settlement: Settlement,
): Promise<void> {
  await sent;
  const booking = { userId, since: Date.now() };
  pending.add(booking);
  try {
    const delay = (Date.now() - began) / 2;
    await scheduler.wait(Math.min(maxDelay, Math.max(minDelay, delay)));
    const isBooked = await bookWithOthers(db, settlement);
    if (!isBooked) await retryOutages(() => settleReservations(db, [settlement]));
  } catch (error) {
    // The customer gets the file for nothing; the reservation expires.
    const { reservationId: reservation_id } = settlement;
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ event: 'not_booked', reservation_id, error: stack });
  } finally {
    pending.delete(booking);
  }
}

/** A booking that waits for others to go with it. */
interface Waiting {
  readonly settlement: Settlement;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Tells whether it was booked. */
  done(isBooked: boolean): void;
}

let waiting: Waiting[] = [];

/** How long the first of several bookings waits for others, in milliseconds. */
const gatheringTime = 20;

/** Bookings that do not wait for more. */
const maxTogether = 20;

/** How long a booking waits for one that goes first, in milliseconds: that may have been torn down. */
const companionTimeout = 5000;

/**
 * Books in one transaction what ends at about the same time: each costs a way to the database and back.
 * @returns false: it may not have been booked
 */
async function bookWithOthers(db: D1Database, settlement: Settlement): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const booked = new Promise<boolean>((resolve) => {
    waiting.push({ settlement, since: Date.now(), done: resolve });
    timer = setTimeout(() => resolve(false), companionTimeout);
  });
  // the first one may have been torn down before it booked
  const isOverdue = Date.now() - (waiting[0]?.since ?? 0) > companionTimeout;
  if (waiting.length === 1) await scheduler.wait(gatheringTime);
  else if (waiting.length < maxTogether && !isOverdue) {
    return booked.finally(() => clearTimeout(timer));
  }
  await bookWaiting(db);
  return booked.finally(() => clearTimeout(timer));
}

async function bookWaiting(db: D1Database): Promise<void> {
  const together = waiting;
  waiting = [];
  if (together.length === 0) return;
  try {
    await settleReservations(
      db,
      together.map(({ settlement }) => settlement),
    );
    for (const { done } of together) done(true);
  } catch {
    // each tries again by itself: one of them alone may be to blame
    for (const { done } of together) done(false);
  }
}

/**
 * Waits until what this isolate has answered the user so far is booked. Figures
 * that are requested right after an answer then include it, where both requests
 * reached the same isolate; elsewhere they may be a moment behind.
 * @returns whether there was anything to wait for
 */
export async function waitForBookings(userId: string): Promise<boolean> {
  const began = Date.now();
  const awaited = [...pending].filter((booking) => booking.userId === userId);
  const isPending = () => awaited.some((booking) => pending.has(booking));
  while (isPending() && Date.now() - began < bookingsTimeout) await scheduler.wait(pollInterval);
  return awaited.length > 0;
}

/** Waits for all bookings of this isolate, before work that would delay them for long. */
export async function waitForAllBookings(): Promise<void> {
  const isPending = () => [...pending].some(({ since }) => Date.now() - since < maxPendingAge);
  for (let waited = 0; isPending() && waited < maxDelay * 4; waited += pollInterval) {
    await scheduler.wait(pollInterval);
  }
}

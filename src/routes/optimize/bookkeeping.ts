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
const pending = new Set<{ readonly mailboxId: string; readonly since: number }>();

/** How long a booking is waited for, in milliseconds: longer ago its request was torn down. */
const maxPendingAge = 30_000;

/** A request that has been answered. */
export interface Answered {
  readonly mailboxId: string;
  /** When it arrived, in milliseconds. */
  readonly began: number;
  /** Settles when the answer has left. */
  readonly sent: Promise<void>;
}

/** Waiting times before each repetition of a booking, in milliseconds. */
const retryDelays = [100, 1000, 5000, 15_000];

/**
 * Books the end of a request when its answer has left; never throws.
 * @param settle does it: may be repeated, and tells whether the reservation still stood
 */
export async function book(
  { mailboxId, began, sent }: Answered,
  reservationId: string,
  settle: () => Promise<boolean>,
): Promise<void> {
  await sent;
  const booking = { mailboxId, since: Date.now() };
  pending.add(booking);
  try {
    const delay = (Date.now() - began) / 2;
    await scheduler.wait(Math.min(maxDelay, Math.max(minDelay, delay)));
    await repeated(settle);
  } catch (error) {
    // The customer gets the file for nothing; the reservation expires.
    const stack = error instanceof Error ? error.stack : undefined;
    console.error({ event: 'not_booked', reservation_id: reservationId, error: stack });
  } finally {
    pending.delete(booking);
  }
}

/** Does work until it succeeds, a few times at most. */
export async function repeated<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const delay of retryDelays) {
    try {
      return await work();
    } catch {
      await scheduler.wait(delay);
    }
  }
  return work();
}

/**
 * Waits until what this isolate has answered the accounts of a mailbox so far is booked. Figures
 * that are requested right after an answer then include it, where both requests
 * reached the same isolate; elsewhere they may be a moment behind.
 * @returns whether there was anything to wait for
 */
export async function waitForBookings(mailboxId: string): Promise<boolean> {
  const began = Date.now();
  const awaited = [...pending].filter((booking) => booking.mailboxId === mailboxId);
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

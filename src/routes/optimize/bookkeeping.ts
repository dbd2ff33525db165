import { logFault, stackOf } from '../../telemetry/log.ts';

/**
 * A booking is made after the response, so that nobody pays for a response that was lost in a crash. A response that
 * the runtime reports as sent is still passing through buffers, so the booking waits for half the duration of the
 * request, within these bounds in milliseconds. It does not wait longer, because a crash should cost the operator no
 * more files than there were requests in flight.
 */
const minDelay = 15;
const maxDelay = 60;

/** How long usage figures wait for bookings, in milliseconds. */
const bookingsTimeout = 1000;
const pollInterval = 10;

/** Bookings that this isolate is about to make. */
const pending = new Set<{ readonly mailboxId: string; readonly since: number }>();

/** Maximum age in milliseconds of a pending booking that is waited for: the request of an older one was torn down. */
const maxPendingAge = 30_000;

/** A request whose response has been created. */
export interface BookedRequest {
  readonly mailboxId: string;
  /** Arrival time of the request, in milliseconds. */
  readonly began: number;
  /** Settles when the response has left: whether any of it did. */
  readonly sent: Promise<boolean>;
}

/** Delays before each retry of a booking, in milliseconds. */
const retryDelays = [100, 1000, 5000, 15_000];

/**
 * Books the end of a request after its response has left; never throws.
 * @param settle makes the booking, for a response of which something or nothing has left: may be called repeatedly, and
 *   returns whether the reservation still existed
 */
export async function book(
  { mailboxId, began, sent }: BookedRequest,
  reservationId: string,
  settle: (hasBegun: boolean) => Promise<boolean>,
): Promise<void> {
  const hasBegun = await sent;
  const booking = { mailboxId, since: Date.now() };
  pending.add(booking);
  try {
    const delay = (Date.now() - began) / 2;
    await scheduler.wait(Math.min(maxDelay, Math.max(minDelay, delay)));
    await withRetries(() => settle(hasBegun));
  } catch (error) {
    // The customer gets the file for free, and the reservation expires.
    logFault('not_booked', { reservation_id: reservationId, error: stackOf(error) });
  } finally {
    pending.delete(booking);
  }
}

/** Retries work until it succeeds, up to a few times. */
export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
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
 * Waits until this isolate has booked its previous responses to the accounts of a mailbox. Usage figures that are
 * requested right after a response then include it, if both requests reached the same isolate; otherwise they may lag
 * slightly.
 * @returns whether there were pending bookings
 */
export async function waitForBookings(mailboxId: string): Promise<boolean> {
  const began = Date.now();
  const awaited = [...pending].filter((booking) => booking.mailboxId === mailboxId);
  const isPending = () => awaited.some((booking) => pending.has(booking));
  while (isPending() && Date.now() - began < bookingsTimeout) await scheduler.wait(pollInterval);
  return awaited.length > 0;
}

/** Whether this isolate is about to make bookings, which long work would delay. */
export function hasPendingBookings(): boolean {
  const oldest = Date.now() - maxPendingAge;
  return [...pending].some(({ since }) => since >= oldest);
}

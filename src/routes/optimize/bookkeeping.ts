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

/** What this isolate has answered and not booked yet. */
const open = new Set<{ readonly userId: string }>();

/** A request that something has been answered to. */
export interface Answered {
  readonly userId: string;
  /** When it came, in milliseconds. */
  readonly began: number;
  /** Settles when the answer has left. */
  readonly sent: Promise<void>;
}

/** Books the end of a request when its answer has left. */
export async function book(
  { userId, began, sent }: Answered,
  work: () => Promise<void>,
): Promise<void> {
  const booking = { userId };
  open.add(booking);
  try {
    await sent;
    const rest = (Date.now() - began) / 2;
    await scheduler.wait(Math.min(longestRest, Math.max(shortestRest, rest)));
    await persistently(work);
  } finally {
    open.delete(booking);
  }
}

/**
 * Waits until what this isolate had answered the user before is in the books,
 * so that figures asked for right after an answer have it in them.
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

/** Repeats what failed on the way; only for work that takes no harm from being done twice. */
export async function persistently(work: () => Promise<void>): Promise<void> {
  for (const rest of [100, 1000, 5000]) {
    try {
      return await work();
    } catch {
      await scheduler.wait(rest);
    }
  }
  await work();
}

/** The UTC day of a moment, YYYY-MM-DD. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

/** The UTC month of a moment, YYYY-MM: what a free allowance is counted by. */
export function monthOf(milliseconds: number): string {
  return dayOf(milliseconds).slice(0, 7);
}

/** When the month after that of `milliseconds` begins, UTC. */
export function nextMonth(milliseconds: number): Date {
  const now = new Date(milliseconds);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

/**
 * What D1 and KV say when it is they who do not answer, or not now: in D1's list
 * of errors those that are worth trying again, what SQLite says of a file that is
 * locked or cannot be read, and KV's own server errors. Whatever else they
 * throw, such as that a statement is wrong, is a mistake of ours.
 *
 * Source: developers.cloudflare.com/d1/observability/debug-d1, "List of D1_ERRORs".
 */
const outages = [
  /Network connection lost/,
  /caused object to be reset|and was reset|reset because its code was updated/,
  /D1 DB is overloaded/,
  /transient issue on remote node/,
  /^D1_ERROR: internal error; reference/,
  /SQLITE_(BUSY|LOCKED|IOERR|PROTOCOL)/,
  /^KV (GET|PUT|DELETE) failed: (429|5\d\d)/,
];

/** Whether an error says that D1 or KV does not answer at the moment. */
export function isOutage(error: unknown): boolean {
  return error instanceof Error && outages.some((outage) => outage.test(error.message));
}

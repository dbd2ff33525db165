/** How long a session lasts, in seconds: 30 days. */
export const sessionLife = 30 * 24 * 60 * 60;

/** A session that has been checked. */
export interface Session {
  /** What it is kept under: SHA-256 of the cookie's value. */
  readonly hash: string;
  readonly userId: string;
  /** Normalized address of the user. */
  readonly email: string;
}

const second = 1000;
const hour = 3600 * second;

/** So many events within a window of so many milliseconds. */
export interface Limit {
  readonly events: number;
  readonly window: number;
}

/** How often sign-in codes may be asked for and guessed at. All of it is counted exactly, in D1. */
export interface CodePolicy {
  /** How often a code may be asked for; all of these hold at once. */
  readonly requests: {
    readonly perAddress: Limit;
    readonly perAddressHourly: Limit;
    readonly perAddressAndNetwork: Limit;
    readonly perNetwork: Limit;
  };
  /** Codes of one address that can be used at the same time. */
  readonly live: number;
  /**
   * Wrong codes. A challenge takes `perChallenge` from callers with its cookie and
   * as many from callers without: a stranger cannot use up the owner's.
   */
  readonly wrong: { readonly perChallenge: number; readonly perNetwork: Limit };
  /** An address that is guessed at so often gets longer codes, until a sign-in succeeds. */
  readonly guessed: Limit;
  readonly digits: { readonly usual: number; readonly guessed: number };
}

export const codePolicy: CodePolicy = {
  requests: {
    perAddress: { events: 1, window: 60 * second },
    perAddressHourly: { events: 20, window: hour },
    perAddressAndNetwork: { events: 5, window: hour },
    perNetwork: { events: 30, window: hour },
  },
  live: 3,
  wrong: { perChallenge: 5, perNetwork: { events: 30, window: hour } },
  guessed: { events: 10, window: 24 * hour },
  digits: { usual: 6, guessed: 12 },
};

const minute = 60 * 1000;

/**
 * Checkouts of one user that have not led to a payment. The window is the life
 * of a Checkout session, so nobody has more of them open than this.
 */
export const unpaidCheckouts: Limit & {
  /** For how many milliseconds one counts that got no session, as while Stripe is out of order. */
  readonly unopenedWindow: number;
} = { events: 20, window: 24 * 60 * minute, unopenedWindow: 10 * minute };

/** How many keys a user may have: active ones, and records in all. */
export const apiKeyLimits = { active: 50, records: 1000 } as const;
export type ApiKeyLimits = Readonly<Record<keyof typeof apiKeyLimits, number>>;

/** What the bodies of requests may take: bytes and milliseconds. */
export const bodyLimits = {
  /** Without a byte, until a body is given up. */
  stallTimeout: 10_000,
  /** From the first byte to the last. */
  totalTimeout: 120_000,
  /** Of an image. */
  maxFileBytes: 32 * 1024 * 1024,
  /** Of JSON, but for events of Stripe. */
  maxJsonBytes: 64 * 1024,
  /** Of an event of Stripe. */
  maxEventBytes: 1024 * 1024,
} as const;

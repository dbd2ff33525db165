import { dayOf, nextDay } from './quota.ts';

const second = 1000;
const hour = 3600 * second;

/** A maximum number of events within a window, in milliseconds. */
export interface Limit {
  readonly events: number;
  readonly window: number;
}

/**
 * How often sign-in codes may be requested and tried. All of these limits are counted exactly, in D1. A known device is
 * a browser in which the address has signed in before; it has limits of its own, so that strangers cannot lock the
 * owner out.
 */
export interface CodePolicy {
  /** Requests for codes; all limits apply at once. */
  readonly requests: {
    /** Per address for strangers, or per known device. */
    readonly coolDown: Limit;
    /** For strangers. */
    readonly perAddress: Limit;
    readonly perAddressAndNetwork: Limit;
    readonly perNetwork: Limit;
    /** Per known device. */
    readonly perDevice: Limit;
    /** For all known devices of an address together: every sign-in without the cookie creates another device. */
    readonly devicesPerAddress: Limit;
    /**
     * For all known devices in a network together, not counting the first request of each device per day, so that a few
     * devices cannot use up the daily mails reserved for devices.
     */
    readonly devicesPerNetwork: Limit;
  };
  /** The number of codes that may be valid at the same time, per address or per known device. */
  readonly live: number;
  /**
   * Wrong codes. A challenge allows `perChallenge` attempts to callers with its cookie, and as many to callers without
   * it, so that strangers cannot use up the owner's attempts.
   */
  readonly wrong: {
    readonly perChallenge: number;
    readonly perNetwork: Limit;
    /** For one known device with the cookies of its challenges; beyond this limit, the limit of its network applies. */
    readonly perDevice: Limit;
  };
  /** The factor by which the limits of an IPv6 /48 exceed those of a single network. */
  readonly siteFactor: number;
  /**
   * Codes that a network may enter, whether or not there is a challenge to compare them with; each attempt writes a
   * row.
   */
  readonly tries: Limit;
  /** After this many wrong codes for an address, strangers get longer codes for it until a sign-in succeeds. */
  readonly guessed: Limit;
  readonly digits: { readonly usual: number; readonly guessed: number };
}

export const codePolicy: CodePolicy = {
  requests: {
    coolDown: { events: 1, window: 60 * second },
    perAddress: { events: 20, window: hour },
    perAddressAndNetwork: { events: 5, window: hour },
    perNetwork: { events: 30, window: hour },
    perDevice: { events: 5, window: hour },
    devicesPerAddress: { events: 40, window: 24 * hour },
    devicesPerNetwork: { events: 30, window: hour },
  },
  live: 3,
  wrong: {
    perChallenge: 5,
    perNetwork: { events: 30, window: hour },
    perDevice: { events: 30, window: 24 * hour },
  },
  siteFactor: 2,
  tries: { events: 300, window: hour },
  guessed: { events: 10, window: 24 * hour },
  digits: { usual: 6, guessed: 12 },
};

/** How many mails may be sent in a day. */
export interface MailTerms {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  /** When the next UTC day begins, in milliseconds. */
  readonly tomorrow: number;
  readonly forAll: number;
  /** Four fifths of the total; the rest is reserved for known devices. */
  readonly forStrangers: number;
  /** Three fifths of the total: quota mails are the first to be dropped. */
  readonly forQuota: number;
}

export function mailTerms(now: number, mailsPerDay: number): MailTerms {
  return {
    day: dayOf(now),
    tomorrow: nextDay(now).getTime(),
    forAll: mailsPerDay,
    forStrangers: Math.floor((mailsPerDay * 4) / 5),
    forQuota: Math.floor((mailsPerDay * 3) / 5),
  };
}

const minute = 60 * 1000;

/**
 * The maximum number of checkouts of one user that have not led to a payment. The window is the lifetime of a Checkout
 * session, so this also limits the number of open sessions.
 */
export const unpaidCheckouts: Limit & {
  /** Milliseconds for which a checkout without a session counts, for example during an outage of Stripe. */
  readonly unopenedWindow: number;
} = { events: 20, window: 24 * 60 * minute, unopenedWindow: 10 * minute };

/**
 * How many keys a user may have: active keys, replaced keys that still work for a while, and records including revoked
 * keys, the oldest of which are deleted to make room for new ones.
 */
export const apiKeyLimits = { active: 50, overlapping: 50, records: 1000 } as const;
/** The maximum number of hours for which a replaced key may continue to work. */
export const maxOverlapHours = 168;

/** The log of a key: how many requests it has, and for how many days they are kept. */
export const keyLogLimits = { requests: 1000, days: 7 } as const;

/** The highest monthly limit of a key, in charged files. */
export const maxMonthlyLimit = 100_000_000;

export type ApiKeyLimits = Readonly<Record<keyof typeof apiKeyLimits, number>>;

/** Sites of images by URL. */
export const siteLimits = {
  perAccount: 20,
  /** Sites of an account with those that were deleted within the days below, whose slugs are kept from others. */
  records: 100,
  presets: 50,
  /** Days for which the slug of a deleted site is not given to another one. */
  reservedDays: 90,
  checksPerHour: 20,
  /** The monthly limit of unsigned sites, unless another one is given. */
  unsignedResultsPerMonth: 5000,
  /** Results of one image per month of an unsigned site: its URLs can be made up. */
  unsignedResultsPerPath: 60,
} as const;

/** Images by URL, in milliseconds. */
export const deliveryLimits = {
  /** How long a request waits for another one that makes its result. */
  maxWait: 20_000,
  /** How long a result is served that should be compared with its source again, or whose source is away. */
  staleTime: 24 * 60 * 60 * 1000,
  /** Results whose making is predicted to take less CPU time are made again after they have been served. */
  maxCpuMsBehind: 20_000,
  /** A result that is read is written again at this age, so that it counts as asked for. */
  rewrittenAfter: 15 * 24 * 60 * 60 * 1000,
  /** How long a result is kept that nobody asks for. */
  keptUnread: 30 * 24 * 60 * 60 * 1000,
} as const;

/** Slugs of sites that were deleted at this time or before are free again, in milliseconds since 1970. */
export function slugsFreeSince(now: number): number {
  return now - siteLimits.reservedDays * 24 * hour;
}

/** How fast a client has to read a response, in bytes and milliseconds. */
export const answerLimits = {
  /** A response is aborted after this time without a byte read by the client. */
  stallTimeout: 15_000,
  /** The minimum rate, and the window over which it is measured. */
  minBytesPerSecond: 16 * 1024,
  rateWindow: 60_000,
} as const;

/** Limits of request bodies, in bytes and milliseconds. */
export const bodyLimits = {
  /** A body is abandoned after this time without a byte. */
  stallTimeout: 10_000,
  /** From the first byte to the last. */
  totalTimeout: 120_000,
  /** For JSON and Stripe events, from the first read to the last byte. */
  smallTimeout: 10_000,
  /** For images. */
  maxFileBytes: 32 * 1024 * 1024,
  /** For JSON, except Stripe events. */
  maxJsonBytes: 64 * 1024,
  /** For Stripe events. */
  maxEventBytes: 1024 * 1024,
  /** The memory of an isolate for JSON and Stripe events together, and for draining refused bodies of any kind. */
  poolBytes: 4 * 1024 * 1024,
  /** The part of `poolBytes` that is reserved for draining. */
  drainBytes: 1024 * 1024,
} as const;

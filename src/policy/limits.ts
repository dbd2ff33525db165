import { dayOf, nextDay } from './quota.ts';

const second = 1000;
const hour = 3600 * second;

/** A maximum number of events within a window of so many milliseconds. */
export interface Limit {
  readonly events: number;
  readonly window: number;
}

/**
 * How often sign-in codes may be requested and tried. All of this is counted exactly, in D1. A known device, a browser
 * in which the address has signed in before, has limits of its own, so that strangers cannot keep its holder out.
 */
export interface CodePolicy {
  /** Requests for codes; all of these limits hold at once. */
  readonly requests: {
    /** Of strangers for one address, or of one device. */
    readonly coolDown: Limit;
    /** Of strangers. */
    readonly perAddress: Limit;
    readonly perAddressAndNetwork: Limit;
    readonly perNetwork: Limit;
    /** Of one device. */
    readonly perDevice: Limit;
    /** Of all devices of an address: each sign-in without the cookie makes another one. */
    readonly devicesPerAddress: Limit;
    /**
     * Of all devices in a network, but for the first of each device in a day: what is kept of the day's mails for
     * devices is not for a few of them alone.
     */
    readonly devicesPerNetwork: Limit;
  };
  /** Codes of one address, or of one device, that are valid at the same time. */
  readonly live: number;
  /**
   * Wrong codes. A challenge allows `perChallenge` tries to callers with its cookie
   * and as many to callers without, so that strangers cannot use up the owner's.
   */
  readonly wrong: {
    readonly perChallenge: number;
    readonly perNetwork: Limit;
    /** Of one device, with the cookies of its challenges; beyond that it is held to the limit of its network. */
    readonly perDevice: Limit;
  };
  /** How often a /48 of IPv6 may do what a network may do once. */
  readonly siteFactor: number;
  /** Codes that a network enters, whether or not there is anything to compare them with: each is a row. */
  readonly tries: Limit;
  /** After so many wrong codes strangers get longer codes for an address, until a sign-in succeeds. */
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

/** How many mails are sent on a day. */
export interface MailTerms {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  /** When the next one begins, in milliseconds. */
  readonly tomorrow: number;
  readonly forAll: number;
  /** A fifth is kept for known devices. */
  readonly forStrangers: number;
  /** Mails about quota are the first that are not sent. */
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

/** What may be tried without an account: each image counts by its network, and in the /48 around that. */
export const trialLimits = {
  /** On a UTC day. */
  perNetwork: 5,
  perSite: 10,
  maxFileBytes: 10 * 1024 * 1024,
  /** Predicted, in milliseconds. */
  maxCpuMs: 5 * second,
} as const;

/** How many images may be tried on a day. */
export interface TrialTerms {
  /** UTC, YYYY-MM-DD. */
  readonly day: string;
  /** When the next one begins, in milliseconds. */
  readonly tomorrow: number;
  readonly perNetwork: number;
  readonly perSite: number;
  readonly forAll: number;
}

export function trialTerms(now: number, filesPerDay: number): TrialTerms {
  const { perNetwork, perSite } = trialLimits;
  const tomorrow = nextDay(now).getTime();
  return { day: dayOf(now), tomorrow, perNetwork, perSite, forAll: filesPerDay };
}

const minute = 60 * 1000;

/**
 * Checkouts of one user that have not led to a payment. The window is the lifetime
 * of a Checkout session, so this is also the maximum of open ones.
 */
export const unpaidCheckouts: Limit & {
  /** For how many milliseconds a checkout without a session counts, as during an outage of Stripe. */
  readonly unopenedWindow: number;
} = { events: 20, window: 24 * 60 * minute, unopenedWindow: 10 * minute };

/**
 * How many keys a user may have: active ones, those beside them that have been replaced and still work for a while, and
 * records including revoked ones, of which the oldest are deleted for new ones.
 */
export const apiKeyLimits = { active: 50, overlapping: 50, records: 1000 } as const;
/** How long a key that has been replaced may go on working, in hours. */
export const maxOverlapHours = 168;

/** Charged files of a month that a key may be limited to. */
export const maxMonthlyLimit = 100_000_000;

export type ApiKeyLimits = Readonly<Record<keyof typeof apiKeyLimits, number>>;

/** How fast a client has to take an answer: bytes and milliseconds. */
export const answerLimits = {
  /** Without a byte taken, until an answer is given up. */
  stallTimeout: 15_000,
  /** The least rate, and what it is measured over. */
  minBytesPerSecond: 16 * 1024,
  rateWindow: 60_000,
} as const;

/** What the bodies of requests may take: bytes and milliseconds. */
export const bodyLimits = {
  /** Without a byte, until a body is given up. */
  stallTimeout: 10_000,
  /** From the first byte to the last. */
  totalTimeout: 120_000,
  /** Of JSON and of an event of Stripe, from the first read to the last byte. */
  smallTimeout: 10_000,
  /** Of an image. */
  maxFileBytes: 32 * 1024 * 1024,
  /** Of JSON, but for events of Stripe. */
  maxJsonBytes: 64 * 1024,
  /** Of an event of Stripe. */
  maxEventBytes: 1024 * 1024,
  /** What an isolate has for JSON and events of Stripe together, and for draining refused bodies of any kind. */
  poolBytes: 4 * 1024 * 1024,
  /** The part of it that is for draining, and for nothing else. */
  drainBytes: 1024 * 1024,
} as const;

/** From one format to another, what is left of a picture of its own size, and reduced to a width of 800. */
export interface MegapixelRow {
  readonly source: string;
  readonly jpeg: number;
  readonly png: number;
  readonly webp: number;
  readonly avif: number;
  /** The least of the four formats. */
  readonly reduced: number;
}

/**
 * The largest pictures in megapixels, as `npm run limits` prints them: opaque,
 * 4:3, 8 bits, in files of the usual size. A test holds them against the planner.
 */
export const megapixelLimits: readonly MegapixelRow[] = [
  { source: 'JPEG', jpeg: 83.9, png: 4.5, webp: 5.3, avif: 4.6, reduced: 66.7 },
  { source: 'JPEG, progressive', jpeg: 29.2, png: 4.5, webp: 5.3, avif: 4.6, reduced: 36.6 },
  { source: 'PNG', jpeg: 4.8, png: 22.4, webp: 5.1, avif: 4.0, reduced: 18.0 },
  { source: 'WebP', jpeg: 6.0, png: 4.6, webp: 5.3, avif: 4.7, reduced: 13.6 },
  { source: 'AVIF', jpeg: 2.2, png: 2.2, webp: 2.2, avif: 2.2, reduced: 2.2 },
];

/** Requests a minute, by the bindings of wrangler.toml; a test compares them. */
export const rateLimits = [
  {
    binding: 'OPTIMIZE_RATE_LIMIT',
    perMinute: 3000,
    what: 'Optimizing, with keys and in the cabinet',
    who: 'user',
  },
  {
    binding: 'FAILED_KEY_RATE_LIMIT',
    perMinute: 300,
    what: 'Keys that do not work',
    who: 'IP address',
  },
  {
    binding: 'REQUEST_CODE_RATE_LIMIT',
    perMinute: 60,
    what: 'Asking for codes',
    who: 'IP address',
  },
  { binding: 'VERIFY_CODE_RATE_LIMIT', perMinute: 300, what: 'Entering codes', who: 'IP address' },
] as const;

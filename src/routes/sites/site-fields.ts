import { z } from '@hono/zod-openapi';
import { ApiError } from '../../errors.ts';
import { maxMonthlyLimit, siteLimits } from '../../policy/limits.ts';
import { judgeSource, type SourceRules } from '../../policy/source-url.ts';
import { readUrlOptions } from '../delivery/url-options.ts';
import { wholeNumber } from '../http/openapi-parts.ts';
import { invalidRequest } from '../http/problems.ts';

const slugRule =
  'should be 3 to 40 of a-z, 0-9 and hyphens, neither first, last nor next to each other';

export const slugField = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: slugRule, abort: true })
  .min(3, slugRule)
  .max(40, slugRule)
  .openapi({
    description: `Stands in the URLs of the site. Unique, and for ${siteLimits.reservedDays} days after the site is deleted nobody gets it. It cannot be changed.`,
    example: 'my-shop',
  });

const maxSourceLength = 500;

export const sourceField = z
  .string()
  .max(maxSourceLength, `should have at most ${maxSourceLength} characters`)
  .openapi({
    description:
      'What stands before the paths of images: an https URL that ends in `/`, without a query, with a public host and port 443 or 80. Another source purges the site.',
    example: 'https://images.example/',
  });

/**
 * A source as it is stored: as the URL parser writes it, so that the URLs of images begin with it.
 * @throws ApiError `invalid_request`, `source_not_allowed`
 */
export function sourceOf(text: string, rules: SourceRules): string {
  const judgment = judgeSource(text, rules);
  if (judgment.kind === 'malformed') throw wrongSource('should be an absolute URL');
  if (judgment.kind === 'refused') {
    const detail = `Use a different source: this one ${judgment.because}.`;
    throw new ApiError('source_not_allowed', detail);
  }
  const { href } = judgment.url;
  if (/[?#]/.test(href)) throw wrongSource('should have neither a query nor a fragment');
  if (!href.endsWith('/')) throw wrongSource('should end in "/"');
  // Parsing has percent-encoded characters.
  if (href.length > 2 * maxSourceLength) throw wrongSource('should be shorter');
  return href;
}

function wrongSource(message: string): ApiError {
  return invalidRequest([{ path: ['source'], message }]);
}

export const signedField = z.boolean('should be true or false').openapi({
  description: 'Whether only URLs that are signed with one of its secrets are answered.',
  example: false,
});

const presetLimits = { name: 32, options: 500 } as const;
const presetName = new RegExp(`^[a-z0-9-]{1,${presetLimits.name}}$`);

export const presetsField = z
  .record(z.string(), z.string('should be options, such as "w_400,q_75"'))
  .superRefine((presets, context) => {
    const entries = Object.entries(presets);
    if (entries.length > siteLimits.presets) {
      context.addIssue(`should be at most ${siteLimits.presets} presets`);
      return;
    }
    for (const [name, options] of entries) {
      const message = problemOf(name, options);
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message });
    }
  })
  .openapi({
    description: `Options by the name of a preset, as they are written in a URL; \`p_card\` in a URL stands for those of \`card\`. At most ${siteLimits.presets}; names of up to ${presetLimits.name} of a-z, 0-9 and hyphens, options of up to ${presetLimits.options} characters, without another preset and without \`exp\`. Replaces all earlier ones.`,
    maxProperties: siteLimits.presets,
    additionalProperties: { type: 'string', maxLength: presetLimits.options },
    example: { card: 'w_400,h_300,f_auto' },
  });

/** What is wrong with a preset; null if nothing is. */
function problemOf(name: string, options: string): string | null {
  if (!presetName.test(name)) {
    return `should have a name of 1 to ${presetLimits.name} of a-z, 0-9 and hyphens`;
  }
  if (options.length > presetLimits.options) {
    return `should have at most ${presetLimits.options} characters`;
  }
  try {
    // A preset cannot name another one.
    const { expiresAt } = readUrlOptions(options, {}, false);
    return expiresAt === null ? null : 'should not have "exp", which belongs to a single URL';
  } catch (error) {
    if (error instanceof ApiError) return `should be options of a URL. ${error.message}`;
    throw error;
  }
}

export const presetsOnlyField = z.boolean('should be true or false').openapi({
  description: 'Whether only presets are answered: `p_` with a name, and `_`.',
  example: false,
});

const monthlyLimitRule = `should be a whole number from 1 to ${maxMonthlyLimit}, or null`;

export const monthlyLimitField = z
  .int(monthlyLimitRule)
  .min(1, monthlyLimitRule)
  .max(maxMonthlyLimit, monthlyLimitRule)
  .nullable()
  .openapi({
    description: `How many results are made per UTC month, including those that are being made. Null: no limit of its own. When a site is created without it: ${siteLimits.unsignedResultsPerMonth.toLocaleString('en-US')} where anyone can make up its URLs, null where they are signed.`,
    example: 5000,
  });

export const cacheSecondsField = wholeNumber(60, 31_536_000).openapi({
  description: 'How long a result is fresh, in seconds, here and in browsers.',
  example: 86_400,
});

export const defaultCacheSeconds = 86_400;

export const onErrorField = z
  .enum(['original', 'error'], 'should be "original" or "error"')
  .openapi({
    description:
      '`original`: where no result can be made, the browser is sent to the image below `source`, so that pages do not break. `error`: it gets the error. When a site is created without it: `error` where it is signed or answers presets only, `original` elsewhere.',
  });

export const statusField = z.enum(['active', 'paused'], 'should be "active" or "paused"').openapi({
  description: 'A paused site makes and serves nothing.',
});

/** Paths of images below the source of a site. */
export const purgedPaths = { count: 100, length: 4096 } as const;

export const pathField = z
  .string()
  .min(1, 'should not be empty')
  .max(purgedPaths.length, `should have at most ${purgedPaths.length} characters`)
  .openapi({
    description:
      'What follows the options in the URL of an image: its path below `source`, encoded as in a URL, and the query.',
    example: 'photos/cat.jpg?v=2',
  });

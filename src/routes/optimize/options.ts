import { z } from '@hono/zod-openapi';
import { parseAccept } from 'hono/utils/accept';
import { ApiError } from '../../errors.ts';
import {
  formatFacts,
  type ImageType,
  namesOf,
  outputFacts,
  outputTypes,
} from '../../image/formats/facts.ts';
import { anyType, defaultOptions, type OptimizeOptions } from '../../image/pipeline/options.ts';

const automaticFacts = outputFacts.filter(({ output }) => output.isAutomatic);
const opaqueFacts = outputFacts.filter(({ output }) => !output.holdsAlpha);

/** What the OpenAPI document says of each option. */
const optionTexts = {
  format: `The format of the result. \`keep\` keeps that of the source. \`auto\` returns the smallest of the source’s own format, ${namesOf(automaticFacts, 'and')}, limited to those that \`Accept\` allows; without \`Accept\`, or with \`*/*\`, all are allowed.`,
  quality:
    'How much detail to keep. With `auto`, the difference is hardly visible. `lossless` preserves every pixel. `1` to `100` is on the scale of the format’s encoder; for PNG it sets how many colours are kept, and 100 is lossless.',
  width:
    'The maximum width of the upright image, in pixels. Without `height`, the height follows in proportion. Images are never enlarged.',
  height:
    'The maximum height of the upright image, in pixels. Without `width`, the width follows in proportion. Images are never enlarged.',
  fit: 'How the image fits the box of `width` and `height`. `inside` scales the whole image into the box, in proportion; `cover` fills the box, crops the overflow evenly on both sides, and requires both `width` and `height`.',
  metadata:
    'Which EXIF, XMP and IPTC metadata to keep. `none`: nothing. `copyright`: who made the image and who owns it. `all`: everything, with values that are no longer true corrected. Colours and orientation are always preserved.',
  hdr: 'What to do with the gain map that makes a JPEG brighter on HDR screens (Ultra HDR, ISO 21496-1). `keep` keeps it in a JPEG, reduced along with the image. `drop` removes it. Other formats cannot hold one.',
  background: `The colour behind a transparent image that is converted to ${namesOf(opaqueFacts, 'or')}, as \`#rrggbb\`. Such a conversion requires it. In a query string, write \`#\` as \`%23\`.`,
} as const;

/** Types for the OpenAPI document; the options themselves arrive as text. */
const pixels = { type: 'integer', minimum: 1, maximum: 16_384 } as const;
const percent = { type: 'integer', minimum: 1, maximum: 100 } as const;
const color = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' } as const;

const side = z
  .string()
  .regex(/^\d{1,5}$/, 'should be a whole number of pixels')
  .transform(Number)
  .pipe(z.int().min(1).max(16_384))
  .optional();

/** The options as they arrive, all of them text, with their names, values and defaults. */
export const optionsSchema = z.strictObject({
  format: z
    .enum(['keep', 'auto', ...outputTypes])
    .default(defaultOptions.format)
    .openapi({ description: optionTexts.format, example: 'webp' }),
  quality: z
    .enum(['auto', 'lossless'])
    .or(
      z
        .string()
        .regex(/^\d{1,3}$/, 'should be auto, lossless or 1 to 100')
        .transform(Number)
        .pipe(z.int().min(1).max(100))
        .openapi(percent),
    )
    .default(defaultOptions.quality)
    .openapi({ description: optionTexts.quality, example: 75 }),
  width: side.openapi({ ...pixels, description: optionTexts.width, example: 800 }),
  height: side.openapi({ ...pixels, description: optionTexts.height, example: 600 }),
  fit: z
    .enum(['inside', 'cover'])
    .default(defaultOptions.fit)
    .openapi({ description: optionTexts.fit, example: 'cover' }),
  metadata: z
    .enum(['none', 'copyright', 'all'])
    .default(defaultOptions.metadata)
    .openapi({ description: optionTexts.metadata, example: 'copyright' }),
  hdr: z
    .enum(['keep', 'drop'])
    .default(defaultOptions.hdr)
    .openapi({ description: optionTexts.hdr, example: 'drop' }),
  background: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, 'should look like #ffffff')
    .transform((text): [number, number, number] => [
      channel(text, 1),
      channel(text, 3),
      channel(text, 5),
    ])
    .optional()
    .openapi({ ...color, description: optionTexts.background, example: '#ffffff' }),
});

/**
 * Reads options from name–value pairs of a query, a form or JSON.
 * @throws ApiError `invalid_options` for an unknown name, one given twice, or a value out of range
 */
export function readOptions(
  pairs: Iterable<readonly [string, string]>,
  acceptHeader: string | undefined,
): OptimizeOptions {
  const given = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (given.has(name)) throw invalidOptions([{ path: name, message: 'is given twice' }]);
    given.set(name, value);
  }
  const parsed = optionsSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) throw invalidOptions(parsed.error.issues.flatMap(complaints));
  if (parsed.data.fit === 'cover' && (!parsed.data.width || !parsed.data.height)) {
    throw invalidOptions([{ path: 'fit', message: 'cover needs both width and height' }]);
  }
  const { width = null, height = null, background = null, ...others } = parsed.data;
  return { ...others, width, height, background, accept: acceptedTypes(acceptHeader) };
}

function complaints(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((path) => ({ path, message: 'is not an option' }));
  }
  return [{ path: issue.path.join('.'), message: issue.message }];
}

/** The error for options that do not fit, each with its name. */
export function invalidOptions(errors: { path: string; message: string }[]): ApiError {
  const [first] = errors;
  return new ApiError('invalid_options', `Option "${first?.path}": ${first?.message}.`, {
    members: { errors },
  });
}

/** The types that an `Accept` header accepts (RFC 9110 §12.5.1: the most specific range decides). */
function acceptedTypes(header: string | undefined): ReadonlySet<ImageType> {
  if (header === undefined) return anyType;
  const ranges = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  return new Set(
    formatFacts.flatMap(({ type, mediaType }) => {
      const weight = ranges.get(mediaType) ?? ranges.get('image/*') ?? ranges.get('*/*');
      return weight !== undefined && weight > 0 ? [type] : [];
    }),
  );
}

function channel(text: string, at: number): number {
  return Number.parseInt(text.slice(at, at + 2), 16);
}

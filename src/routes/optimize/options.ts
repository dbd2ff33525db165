import { z } from '@hono/zod-openapi';
import { parseAccept } from 'hono/utils/accept';
import { ApiError } from '../../errors.ts';
import {
  anyType,
  choices,
  defaultOptions,
  maxSide,
  namedPositions,
  type OptimizeOptions,
  optionRules,
  pointPattern,
  positionOf,
} from '../../image/engine.ts';
import {
  formatFacts,
  type ImageType,
  isMeantByWildcard,
  namesOf,
  outputFacts,
  outputTypes,
  sourcesOf,
} from '../../image/formats/facts.ts';
import { namedTargets, targetRange } from '../../image/metric/targets.ts';
import { bodyLimits } from '../../policy/limits.ts';

const automaticFacts = outputFacts.filter(({ output }) => output.chosen === 'if-accepted');
const namedFacts = outputFacts.filter(({ output }) => output.chosen === 'if-named');
/** Formats without transparency that any source format can become. */
const opaqueFacts = outputFacts.filter(
  (facts) => !facts.output.holdsAlpha && sourcesOf(facts) === null,
);
const animationOnlyFacts = outputFacts.filter(({ output }) => !output.holdsStills);

/** Sentences about formats that only certain source formats can become. */
const sourcesText = outputFacts
  .flatMap((facts) => {
    const sources = sourcesOf(facts);
    return sources ? [`Only ${namesOf(sources, 'and')} files become ${facts.name}.`] : [];
  })
  .join(' ');

/** Descriptions of the options in the OpenAPI document. */
const optionTexts = {
  format: `The format of the result. \`keep\` keeps that of the source. \`auto\` returns the smallest of the source’s own format, ${namesOf(automaticFacts, 'and')}, limited to those that \`Accept\` allows; without \`Accept\`, or with \`*/*\`, all of these are allowed. ${namesOf(namedFacts, 'and')} is tried as well if \`Accept\` names it (\`image/*\` does not). ${sourcesText} Only animations and ${namesOf(animationOnlyFacts, 'or')} files become ${namesOf(animationOnlyFacts, 'or')}.`,
  quality:
    'The setting of the encoder. `auto` finds the one that gives the same visible quality in every format, that of `target=medium`. `lossless` preserves every pixel. `1` to `100` is on the scale of the format’s encoder; for PNG it sets how many colours are kept, and 100 is lossless.',
  target:
    'The visible quality of the result, as a SSIMULACRA2 score. `low` is 65, `medium` 77, where the difference is hardly visible, and `high` 86. Each image gets the encoder’s setting that reaches it; `Image-Score` says what was reached. Cannot be combined with `quality`.',
  maxBytes:
    'The maximum size of the result in bytes, metadata included. The result has the best quality that fits, up to `target`, or up to a score of 95 without it. Cannot be combined with `quality`.',
  width:
    'The maximum width of the upright image, in pixels. Without `height`, the height follows in proportion. Images are never enlarged.',
  height:
    'The maximum height of the upright image, in pixels. Without `width`, the width follows in proportion. Images are never enlarged.',
  fit: 'How the image fits the box of `width` and `height`. `inside` makes the whole image as large as the box allows; `outside` makes it as small as covers the box; `cover` fills the box and crops the overflow; `contain` is `inside` with margins up to the sides of the box, in the colour of `background`, otherwise transparent, or white where the format cannot be; `fill` fills the box by stretching. All but `inside` require both `width` and `height`. Images are never enlarged: with `cover` and `fill`, a box that is too large shrinks in proportion.',
  position:
    'What `fit=cover` keeps, and where `contain` puts the image. `center`, a side (`top`), a corner (`top-left`), a point as fractions of width and height (`0.3,0.7`), which stays as near to the middle as the crop allows, or `auto`: what is of interest, by its detail, skin and colour. Requires one of these fits.',
  placeholder:
    '`thumbhash`: the response has the result’s [ThumbHash](https://evanw.github.io/thumbhash/) in `Image-Placeholder`, some 25 bytes from which a page paints the blurred image until it has loaded.',
  metadata:
    'Which EXIF, XMP and IPTC metadata to keep. `none`: nothing. `copyright`: who made the image and who owns it. `all`: everything, with values that are no longer true corrected. Colours and orientation are always preserved.',
  animation:
    'What to do with an animation. `keep` keeps it moving, and so needs a format that can: what is seen at each instant and the number of plays stay as they are. `first` returns its first frame as a still image, in any format. Still images ignore it.',
  hdr: 'What to do with the gain map that makes a JPEG brighter on HDR screens (Ultra HDR, ISO 21496-1). `keep` keeps it in a JPEG, reduced along with the image. `drop` removes it. Other formats cannot hold one.',
  background: `The colour behind a transparent image that is converted to ${namesOf(opaqueFacts, 'or')}, as \`#rrggbb\`. Such a conversion requires it. Also the colour of the margins of \`fit=contain\`. In a query string, write \`#\` as \`%23\`.`,
} as const;

const pixels = { type: 'integer', minimum: 1, maximum: maxSide } as const;
const percent = { type: 'integer', minimum: 1, maximum: 100 } as const;
const score = { type: 'integer', minimum: targetRange.min, maximum: targetRange.max } as const;
const bytes = { type: 'integer', minimum: 1000 } as const;
const color = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' } as const;

const side = z
  .string()
  .regex(/^\d{1,5}$/, 'should be a whole number of pixels')
  .transform(Number)
  .pipe(z.int().min(1).max(maxSide))
  .optional();

/** One of these words; anything else gives an error that lists them. */
function oneOf<const Word extends string>(words: readonly Word[]) {
  const others = words.slice(0, -1).join(', ');
  return z.enum(words, { error: `should be ${others} or ${words.at(-1)}` });
}

/** A whole number of up to three digits within the scale; anything else gives the complaint. */
const onScale = (scale: typeof percent | typeof score, complaint: string) =>
  z
    .string()
    .regex(/^\d{1,3}$/, complaint)
    .transform(Number)
    .pipe(z.int().min(scale.minimum, complaint).max(scale.maximum, complaint))
    .openapi(scale);

const qualityComplaint = 'should be auto, lossless or 1 to 100';
const quality = z.union([z.enum(['auto', 'lossless']), onScale(percent, qualityComplaint)], {
  error: qualityComplaint,
});

const targetComplaint = 'should be low, medium, high or 30 to 95';
const targetName = z.enum(['low', 'medium', 'high']).transform((name) => namedTargets[name]);
const target = z.union([targetName, onScale(score, targetComplaint)], { error: targetComplaint });

const bytesComplaint = 'should be a whole number of bytes, 1000 or more';
const maxBytes = z
  .string()
  .regex(/^\d{1,15}$/, bytesComplaint)
  .transform(Number)
  .pipe(z.int().min(bytes.minimum, bytesComplaint))
  // No result can be longer.
  .transform((limit) => Math.min(limit, bodyLimits.maxFileBytes));

const positionNames = [...Object.keys(namedPositions), 'auto'];
const positionPoint = { type: 'string', pattern: pointPattern.source } as const;
const positionComplaint = `should be ${choices(optionRules.position)}`;
const position = z
  .string(positionComplaint)
  .refine((text) => positionNames.includes(text) || pointPattern.test(text), positionComplaint)
  .transform(positionOf);

/** Parses text such as `#ff8800` to RGB bytes; anything else gives the complaint. */
export function colorText(complaint: string) {
  const channel = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return z
    .string(complaint)
    .regex(/^#[0-9A-Fa-f]{6}$/, complaint)
    .transform((text): [number, number, number] => [
      channel(text, 1),
      channel(text, 3),
      channel(text, 5),
    ]);
}

/** The options as they arrive, all as text, with their names, values and defaults. */
export const optionsSchema = z.strictObject({
  format: oneOf(['keep', 'auto', ...outputTypes])
    .default(defaultOptions.format)
    .openapi({ description: optionTexts.format, example: 'webp' }),
  quality: quality
    .default(defaultOptions.quality)
    .openapi({ description: optionTexts.quality, example: 75 }),
  target: target.optional().openapi({ description: optionTexts.target, example: 'high' }),
  max_bytes: maxBytes
    .optional()
    .openapi({ ...bytes, description: optionTexts.maxBytes, example: 100_000 }),
  width: side.openapi({ ...pixels, description: optionTexts.width, example: 800 }),
  height: side.openapi({ ...pixels, description: optionTexts.height, example: 600 }),
  fit: oneOf(optionRules.fit.words)
    .default(defaultOptions.fit)
    .openapi({ description: optionTexts.fit, example: 'cover' }),
  position: position.optional().openapi({
    anyOf: [{ type: 'string', enum: positionNames }, positionPoint],
    default: 'center',
    description: optionTexts.position,
    example: '0.3,0.7',
  }),
  placeholder: oneOf(optionRules.placeholder.words)
    .default(defaultOptions.placeholder)
    .openapi({ description: optionTexts.placeholder, example: 'thumbhash' }),
  metadata: oneOf(['none', 'copyright', 'all'])
    .default(defaultOptions.metadata)
    .openapi({ description: optionTexts.metadata, example: 'copyright' }),
  animation: oneOf(['keep', 'first'])
    .default(defaultOptions.animation)
    .openapi({ description: optionTexts.animation, example: 'first' }),
  hdr: oneOf(['keep', 'drop'])
    .default(defaultOptions.hdr)
    .openapi({ description: optionTexts.hdr, example: 'drop' }),
  background: colorText('should look like #ffffff')
    .optional()
    .openapi({ ...color, description: optionTexts.background, example: '#ffffff' }),
});

/**
 * Reads options from the name–value pairs of a query, a form or JSON.
 * @throws ApiError `invalid_options` for an unknown name, a duplicate, or a value out of range
 */
export function readOptions(
  pairs: Iterable<readonly [string, string]>,
  acceptHeader: string | undefined,
): OptimizeOptions {
  const { data } = parseOptions(optionsSchema, pairs);
  const { fit } = data;
  if (fit !== 'inside' && !(data.width && data.height)) {
    throw invalidOptions([{ path: 'fit', message: `${fit} needs both width and height` }]);
  }
  demandPlace(data);
  const {
    target = null,
    max_bytes: maxBytes = null,
    width = null,
    height = null,
    background = null,
    position = defaultOptions.position,
    ...others
  } = data;
  const accept = acceptedTypes(acceptHeader);
  const chosen = { ...others, target, maxBytes, width, height, background, position, accept };
  return { ...defaultOptions, ...chosen };
}

/**
 * Reads name–value pairs by a schema with the options that concern quality.
 * @returns the values, and the names that were given
 * @throws ApiError `invalid_options` for an unknown name, a duplicate, a value out of range, or two ways to set the quality
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  pairs: Iterable<readonly [string, string]>,
): { readonly data: z.output<Schema>; readonly given: ReadonlyMap<string, string> } {
  const given = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (given.has(name)) throw invalidOptions([{ path: name, message: 'is given twice' }]);
    given.set(name, value);
  }
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) throw invalidOptions(parsed.error.issues.flatMap(complaints));
  // An explicit quality, even `auto`, leaves no quality to search for.
  const excluded = given.has('quality') ? qualityGoals.filter((name) => given.has(name)) : [];
  if (excluded.length > 0) {
    const message = 'cannot be combined with quality';
    throw invalidOptions(excluded.map((path) => ({ path, message })));
  }
  return { data: parsed.data, given };
}

/** @throws ApiError `invalid_options` for a position where nothing is cropped or has margins */
export function demandPlace({ fit, position }: { fit?: string; position?: unknown }): void {
  if (position === undefined || fit === 'cover' || fit === 'contain') return;
  throw invalidOptions([{ path: 'position', message: 'needs fit=cover or fit=contain' }]);
}

/** Options that make the service search for the quality. */
const qualityGoals = ['target', 'max_bytes'] as const;

function complaints(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((path) => ({ path, message: 'is not an option' }));
  }
  return [{ path: issue.path.join('.'), message: issue.message }];
}

/** The error for invalid options, each with its name. */
export function invalidOptions(errors: { path: string; message: string }[]): ApiError {
  const [first] = errors;
  return new ApiError('invalid_options', `Option "${first?.path}": ${first?.message}.`, {
    members: { errors },
  });
}

/**
 * The types that an `Accept` header accepts (RFC 9110 §12.5.1: the most specific range decides). Some have to be named
 * explicitly, because browsers that cannot show them also accept any image.
 */
function acceptedTypes(header: string | undefined): ReadonlySet<ImageType> {
  if (header === undefined) return anyType;
  const ranges = new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]));
  return new Set(
    formatFacts.flatMap((facts) => {
      const { type, mediaType } = facts;
      const wildcardWeight = isMeantByWildcard(facts)
        ? (ranges.get('image/*') ?? ranges.get('*/*'))
        : undefined;
      const weight = ranges.get(mediaType) ?? wildcardWeight;
      return weight !== undefined && weight > 0 ? [type] : [];
    }),
  );
}

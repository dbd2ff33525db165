import { z } from '@hono/zod-openapi';
import {
  choices,
  defaultOptions,
  maxSide,
  problemOf,
  ratioFits,
  ratioOf,
  ratioPattern,
  type SetOptions,
  setLimits,
} from '../../image/engine.ts';
import { outputTypes } from '../../image/formats/facts.ts';
import { demandPlace, invalidOptions, optionsSchema, parseOptions } from '../optimize/options.ts';

const listOf = (item: string, most: number) => `^${item}(?:,${item}){0,${most - 1}}$`;

const widthsText = `The widths of the results in pixels: 1 to ${setLimits.widths}, ascending, separated by commas. Those above the width of the upright image are left out, but for one of its own width.`;
const widthsPattern = listOf('\\d{1,5}', setLimits.widths);
const widthsComplaint = `should be 1 to ${setLimits.widths} widths from 1 to ${maxSide}, ascending, such as 400,800,1600`;

const isAscending = (numbers: readonly number[]) =>
  numbers.every((number, i) => number > (numbers[i - 1] ?? 0) && number <= maxSide);

const widths = z
  .string(widthsComplaint)
  .regex(new RegExp(widthsPattern), widthsComplaint)
  .transform((text) => text.split(',').map(Number))
  .refine(isAscending, widthsComplaint);

const formatWords = ['keep', ...outputTypes] as const;
const formatsPattern = listOf(`(?:${formatWords.join('|')})`, setLimits.formats);
const formatsComplaint = `should be 1 to ${setLimits.formats} of ${choices({ words: formatWords })}, once each, such as avif,webp,jpeg`;

const formats = z
  .string(formatsComplaint)
  .regex(new RegExp(formatsPattern), formatsComplaint)
  .transform((text) => text.split(',') as (typeof formatWords)[number][])
  .refine((words) => new Set(words).size === words.length, formatsComplaint);

const ratioComplaint = 'should be two numbers, such as 16:9';
const ratio = z.string(ratioComplaint).regex(ratioPattern, ratioComplaint);

const { format: _format, width: _width, height: _height, ...shared } = optionsSchema.shape;

/** The options of a set as they arrive, all as text. */
export const setOptionsSchema = z.strictObject({
  widths: widths.openapi({
    type: 'string',
    pattern: widthsPattern,
    description: widthsText,
    example: '400,800,1600',
  }),
  formats: formats.default(['keep']).openapi({
    type: 'string',
    pattern: formatsPattern,
    default: 'keep',
    description: `The formats of each width: 1 to ${setLimits.formats}, separated by commas. \`keep\` is that of the source, which is not made twice if it is named as well.`,
    example: 'avif,webp,jpeg',
  }),
  ratio: ratio.optional().openapi({
    type: 'string',
    pattern: '^\\d{1,5}(?:\\.\\d{1,2})?:\\d{1,5}(?:\\.\\d{1,2})?$',
    description:
      'The proportions of all results, as width and height. Without it, they are those of the image.',
    example: '16:9',
  }),
  ...shared,
  fit: z
    .enum(ratioFits, { error: `should be ${choices({ words: ratioFits })}` })
    .optional()
    .openapi({
      default: ratioFits[0],
      description:
        'How the image gets the proportions of `ratio`, which it requires. `cover` crops, `contain` adds margins, and `fill` stretches.',
    }),
  position: shared.position.openapi({
    description:
      'What `fit=cover` keeps of the image, and where `contain` puts it, as for a single image. Requires `ratio`.',
  }),
  placeholder: shared.placeholder.openapi({
    description:
      '`thumbhash`: the manifest has the [ThumbHash](https://evanw.github.io/thumbhash/) of the widest result as `placeholder`.',
  }),
});

const { widths: widthsInText, formats: formatsInText } = setOptionsSchema.shape;

/** Lists may be arrays in JSON. */
export const listsInJson = {
  widths: z.union([widthsInText, z.array(z.int().min(1).max(maxSide)).max(setLimits.widths)]),
  formats: z.union([formatsInText, z.array(z.enum(formatWords)).max(setLimits.formats)]),
};

/**
 * Reads the options of a set from the name–value pairs of a query, a form or JSON.
 * @throws ApiError `invalid_options`
 */
export function readSetOptions(pairs: Iterable<readonly [string, string]>): SetOptions {
  const { data, given } = parseOptions(setOptionsSchema, pairs);
  const {
    widths,
    formats,
    ratio,
    fit = ratioFits[0],
    target = null,
    max_bytes: maxBytes = null,
    background = null,
    position = defaultOptions.position,
    ...others
  } = data;
  for (const name of ratio === undefined ? (['fit', 'position'] as const) : []) {
    if (given.has(name)) throw invalidOptions([{ path: name, message: 'needs a ratio' }]);
  }
  demandPlace({ fit, position: data.position });
  const chosen = { target, maxBytes, background, position };
  const box = ratio === undefined ? {} : { fit };
  const set: SetOptions = {
    ...{ widths, formats },
    ratio: ratio === undefined ? null : ratioOf(ratio),
    shared: { ...defaultOptions, ...others, ...chosen, ...box },
  };
  const problem = problemOf(set);
  if (problem) throw invalidOptions([problem]);
  return set;
}

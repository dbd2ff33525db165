import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { defaultOptions, maxSide, type OptimizeOptions } from '../../image/engine.ts';
import {
  type ImageType,
  isMeantByWildcard,
  type OutputType,
  outputFacts,
} from '../../image/formats/facts.ts';
import { withJsonText } from '../http/json-body.ts';
import { colorText } from '../optimize/options.ts';
import { TinifyError } from './wire.ts';

/** The quality that makes PNGs about as small as Tinify's. */
const pngQuality = 70;

/** Options for an image without any commands. */
export const plainOptions: OptimizeOptions = { ...defaultOptions, pngQuality };

const sideComplaint = `width and height should be whole numbers of pixels, up to ${maxSide}`;
const side = z.int(sideComplaint).min(1, sideComplaint).max(maxSide, sideComplaint);

const bothSides = { width: side, height: side };
const resize = z.discriminatedUnion(
  'method',
  [
    z
      .strictObject({ method: z.literal('scale'), width: side.optional(), height: side.optional() })
      .refine(({ width, height }) => (width === undefined) !== (height === undefined), {
        error: 'scale takes either a width or a height',
      }),
    z.strictObject({ method: z.literal('fit'), ...bothSides }),
    z.strictObject({ method: z.literal('cover'), ...bothSides }),
    z.strictObject({ method: z.literal('thumb'), ...bothSides }),
  ],
  { error: 'method should be scale, fit, cover or thumb' },
);

const parts = ['copyright', 'creation', 'location'] as const;
const part = z.enum(parts, {
  error: ({ input }) => `Metadata key '${keyText(input)}' not supported`,
});
/** The kept parts, in a fixed order; an empty list counts as no command. */
const preserve = z
  .array(part, 'preserve should be a list of copyright, creation and location')
  .transform((given) => parts.filter((name) => given.includes(name)))
  .transform((names) => (names.length > 0 ? names : undefined));

/** The part of a client's input that is safe to show. */
function keyText(input: unknown): string {
  return typeof input === 'string' ? input.slice(0, 40).replaceAll(/[^\w .-]/g, '?') : '?';
}

const stills = outputFacts.filter(({ output }) => output.holdsStills);
const types = new Map<string, OutputType>([
  ...stills.map(({ mediaType, type }) => [mediaType, type] as const),
  ['image/jpg', 'jpeg'],
]);
// What `*/*` stands for.
const anyOf = stills.filter(isMeantByWildcard).map(({ type }) => type);

const typeComplaint = `type should be one or several of ${[...types.keys()].join(', ')}, or */*`;
const typeName = z.enum(['*/*', ...types.keys()]);
const convert = z.strictObject({
  type: z.union([typeName, z.tuple([typeName], typeName)], { error: typeComplaint }),
});

const backgroundComplaint = 'background should be white, black or a color such as #ff8800';
const namedColors = new Map([
  ['white', '#ffffff'],
  ['black', '#000000'],
]);
const background = z
  .string(backgroundComplaint)
  .transform((text) => namedColors.get(text) ?? text)
  .pipe(colorText(backgroundComplaint));
const transform = z.strictObject({ background: background.optional() });

const commandsSchema = z.strictObject({
  resize: resize.optional(),
  preserve: preserve.optional(),
  convert: convert.optional(),
  transform: transform.optional(),
});

/** The commands for an uploaded image. */
export type Commands = z.infer<typeof commandsSchema>;

/**
 * Reads the commands of a request: JSON, whatever its media type; an absent body means no commands.
 * @returns null if there are none
 * @throws ApiError `invalid_request`, `invalid_options`, `body_too_large`, `request_timeout`, `overloaded`
 */
export function readCommands(request: Pick<Request, 'body' | 'headers'>): Promise<Commands | null> {
  return withJsonText(request, (text) => {
    if (text === '') return null;
    const value = parsedJson(text);
    if ('store' in value) {
      const message = 'Results are not stored elsewhere: fetch them from here.';
      throw new TinifyError('Bad request', 'invalid_options', message);
    }
    const { success, data, error } = commandsSchema.safeParse(value);
    if (!success) throw complaint(error);
    return Object.values(data).some((command) => command !== undefined) ? data : null;
  });
}

/** @throws ApiError `invalid_request` for anything but a JSON object */
export function parsedJson(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw new ApiError('invalid_request', 'The body should be a JSON object in UTF-8.');
}

function complaint({ issues: [issue] }: z.ZodError): TinifyError {
  return new TinifyError('JSON validation error', 'invalid_options', complaintText(issue));
}

function complaintText(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys')
    return `Option '${keyText(issue.keys[0])}' not supported`;
  const [name] = issue?.path ?? [];
  return name === 'preserve' ? (issue?.message ?? '') : `${String(name)}: ${issue?.message}`;
}

/** A canonical name for the options that commands result in, however they are written; null for the plain options. */
export function nameOf(options: OptimizeOptions): string | null {
  const serializable = (value: unknown) => (value instanceof Set ? [...value].sort() : value);
  const text = (one: OptimizeOptions) =>
    JSON.stringify(Object.entries(one).map(([name, value]) => [name, serializable(value)]));
  return text(options) === text(plainOptions) ? null : text(options);
}

/**
 * Converts commands to options of the pipeline.
 * @param type type of the image; null if unknown
 */
export function optionsOf(
  { resize, preserve, convert, transform }: Commands,
  type: ImageType | null,
): OptimizeOptions {
  return {
    ...plainOptions,
    ...(resize && {
      width: resize.width ?? null,
      height: resize.height ?? null,
      ...(isCropped(resize) && { fit: 'cover', position: 'auto' }),
    }),
    ...(preserve && { metadata: new Set(preserve) }),
    ...(convert && formatOptions([convert.type].flat(), type)),
    ...(transform?.background && { background: transform.background, flattens: true }),
  };
}

/** Whether Tinify looks for the part to keep. */
function isCropped({ method }: NonNullable<Commands['resize']>): boolean {
  return method === 'cover' || method === 'thumb';
}

function formatOptions(
  names: readonly z.infer<typeof typeName>[],
  type: ImageType | null,
): Pick<OptimizeOptions, 'format' | 'among'> {
  const among = new Set(names.flatMap((name) => types.get(name) ?? anyOf));
  const [only] = among;
  if (among.size > 1 || !only) return { format: 'auto', among };
  return { format: only === type ? 'keep' : only, among: null };
}

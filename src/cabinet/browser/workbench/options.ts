import { formatFacts, type OutputType, outputFacts } from '../../../image/formats/facts.ts';
import { countText } from '../../text/formatting.ts';
import type { Failure } from '../api/failure.ts';
import { maxImageMiB, supportedNames } from './chosen-files.ts';

/** The values of the options form; numbers as typed. */
export interface TryOptions {
  readonly format: 'keep' | 'auto' | OutputType;
  readonly quality: 'auto' | 'lossless' | 'custom';
  readonly customQuality: string;
  readonly width: string;
  readonly height: string;
  readonly fit: 'inside' | 'cover';
  readonly metadata: 'none' | 'copyright' | 'all';
  readonly hdr: 'keep' | 'drop';
  /** `#rrggbb`. */
  readonly background: string;
}

export const defaultOptions: TryOptions = {
  format: 'keep',
  quality: 'auto',
  customQuality: '75',
  width: '',
  height: '',
  fit: 'inside',
  metadata: 'none',
  hdr: 'keep',
  background: '#ffffff',
};

/** Error messages by field. */
export type FieldErrors = Readonly<Partial<Record<keyof TryOptions, string>>>;

/** The API's limit for width and height, in pixels. */
export const maxSide = 16_384;

export function fieldErrors(options: TryOptions): FieldErrors {
  const sides = (['width', 'height'] as const)
    .filter((side) => options[side].trim() !== '' && !isWhole(options[side], maxSide))
    .map((side) => [
      side,
      `Enter a whole number from 1 to ${countText(maxSide)}, or leave it empty.`,
    ]);
  const isQualityWrong = options.quality === 'custom' && !isWhole(options.customQuality, 100);
  return Object.fromEntries([
    ...sides,
    ...(isQualityWrong ? [['customQuality', 'Enter a whole number from 1 to 100.']] : []),
  ]);
}

/** Whether the format cannot hold transparency, so that transparent pixels need a background. */
export function needsBackground({ format }: Pick<TryOptions, 'format'>): boolean {
  return outputFacts.some(({ type, output }) => type === format && !output.holdsAlpha);
}

/** Whether a result may be a JPEG, which is what holds gain maps. */
export function mayHoldGainMap({ format }: Pick<TryOptions, 'format'>): boolean {
  return format === 'keep' || format === 'auto' || format === 'jpeg';
}

/** The options as a query of the API, without defaults; null if any of them is invalid. */
export function queryOf(options: TryOptions): string | null {
  if (Object.keys(fieldErrors(options)).length > 0) return null;
  const quality =
    options.quality === 'custom' ? normalized(options.customQuality) : options.quality;
  const width = normalized(options.width);
  const height = normalized(options.height);
  const isBox = width !== '' && height !== '';
  const query = new URLSearchParams({
    ...(options.format !== defaultOptions.format && { format: options.format }),
    ...(quality !== defaultOptions.quality && { quality }),
    ...(width && { width }),
    ...(height && { height }),
    ...(isBox && options.fit !== defaultOptions.fit && { fit: options.fit }),
    ...(options.metadata !== defaultOptions.metadata && { metadata: options.metadata }),
    ...(mayHoldGainMap(options) && options.hdr !== defaultOptions.hdr && { hdr: options.hdr }),
    ...(needsBackground(options) && { background: options.background }),
  });
  return query.toString();
}

/** A query for the same with another format. */
export function withFormat(query: string, format: TryOptions['format']): string {
  const changed = new URLSearchParams(query);
  const { background, format: usual } = defaultOptions;
  if (format === usual) changed.delete('format');
  else changed.set('format', format);
  if (!needsBackground({ format })) changed.delete('background');
  else if (!changed.has('background')) changed.set('background', background);
  if (!mayHoldGainMap({ format })) changed.delete('hdr');
  return ordered(changed);
}

/** A query for the same, no wider than so many pixels. */
export function withWidth(query: string, width: number): string {
  const changed = new URLSearchParams(query);
  for (const name of ['height', 'fit']) changed.delete(name);
  changed.set('width', String(width));
  return ordered(changed);
}

/** Names in their usual order, so that queries for the same are alike. */
const names = ['format', 'quality', 'width', 'height', 'fit', 'metadata', 'hdr', 'background'];

function ordered(query: URLSearchParams): string {
  const entries = [...query].toSorted(
    ([one], [other]) => names.indexOf(one) - names.indexOf(other),
  );
  return new URLSearchParams(entries).toString();
}

/** The options in a line: `Original format, automatic quality`. */
export function optionsLine(options: TryOptions): string {
  const format = outputFacts.find(({ type }) => type === options.format)?.name;
  const formats = { keep: 'Original format', auto: 'Smallest format' } as const;
  const [width, height] = [normalized(options.width), normalized(options.height)];
  const metadata = { none: null, copyright: 'copyright kept', all: 'metadata kept' } as const;
  const quality =
    options.quality === 'custom'
      ? `quality ${normalized(options.customQuality)}`
      : { auto: 'automatic quality', lossless: 'lossless' }[options.quality];
  const size = [width && `${width} wide`, height && `${height} high`].filter(Boolean).join(' and ');
  return [
    format ?? formats[options.format as keyof typeof formats],
    quality,
    size && `at most ${size}`,
    metadata[options.metadata],
  ]
    .filter(Boolean)
    .join(', ');
}

function isWhole(text: string, max: number): boolean {
  const value = Number(text);
  return /^\s*\d{1,5}\s*$/.test(text) && value >= 1 && value <= max;
}

/** A number without spaces and leading zeros. */
function normalized(text: string): string {
  return text.trim() === '' ? '' : String(Number(text));
}

/** Labels of the options form that messages refer to. */
export const formLabels = {
  keepFormat: 'Keep original',
  width: 'Max. width',
  height: 'Max. height',
  automatic: 'Automatic',
} as const;

const keepFormat = `choose “${formLabels.keepFormat}” as the format`;
const keepSize = `leave “${formLabels.width}” and “${formLabels.height}” empty`;

/** Advice in the API's messages, and what it means in terms of the form. Longer phrases come first. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/use format=keep without width and height/g, `${keepFormat}, and ${keepSize}`],
  [/keep its format and size/g, `${keepFormat}, and ${keepSize}`],
  [/use format=keep/g, keepFormat],
  [/keep its format/g, keepFormat],
  [/keep its size/g, keepSize],
  [/leave width and height away/g, keepSize],
  [/request a smaller width/g, `enter a smaller “${formLabels.width}”`],
  [
    /No format that was asked for can hold this picture/g,
    `The format you chose cannot hold this picture: ${keepFormat}`,
  ],
  [/leave quality=lossless away/g, `choose “${formLabels.automatic}” as the quality`],
];

/** Terms of the API that mean nothing in the form, such as `format=keep` and `Option "width"`. */
const apiWords = /\w=\w|option "|\bquery\b|\bbody\b/i;

/** Rephrases a failure of the API in terms of the options form. */
export function inFormWords(failure: Failure): Failure {
  const message = messageOf(failure);
  return message === null ? failure : { ...failure, message };
}

function messageOf({ code, message }: Failure): string | null {
  switch (code) {
    case 'unsupported_media_type':
      return `This file isn’t a supported image. Choose ${supportedNames}.`;
    case 'body_too_large': {
      // the limit is lower where processing takes much more memory than the file
      const limit = /\d+ [KM]iB/.exec(message)?.[0] ?? `${maxImageMiB} MiB`;
      return `This file is too large: with these options, the limit is ${limit}. Make it smaller first.`;
    }
    case 'image_too_large':
      return (
        translated(message) ??
        `This image has too many pixels for these options. Enter a smaller “${formLabels.width}”, or make the image smaller first.`
      );
    case 'invalid_options':
      return (
        translated(message) ??
        `This image can’t be created with these options. Try “${formLabels.keepFormat}” as the format, and ${keepSize}.`
      );
    case 'invalid_image': {
      const text = translated(message);
      if (text === null) {
        return 'This image can’t be read. It may be damaged: get a new copy from its source.';
      }
      return text === message
        ? `${message} If other programs can open it, save it again there.`
        : text;
    }
    default:
      return null;
  }
}

/** A message of the service in terms of the form; null if terms of the API remain. */
function translated(message: string): string | null {
  const inForm = phrases.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
  const text = formatFacts.reduce(
    (sentence, { type, name }) => sentence.replace(new RegExp(`\\b${type}\\b`, 'g'), name),
    inForm,
  );
  return apiWords.test(text) ? null : text;
}

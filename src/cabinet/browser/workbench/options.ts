import type { OptimizeOptions } from 'fewerbytes/pool';
import { type OutputType, outputFacts, sourcesOf } from '../../../image/formats/facts.ts';
import type { FormatFacts } from '../../../image/formats/format-facts.ts';
import { namedTargets } from '../../../image/metric/targets.ts';
import { countText } from '../../text/formatting.ts';

/** Where a crop or a picture between margins lies, in the order of the form. */
export const positions = {
  center: 'Centre',
  auto: 'Automatic',
  top: 'Top',
  'top-right': 'Top right',
  right: 'Right',
  'bottom-right': 'Bottom right',
  bottom: 'Bottom',
  'bottom-left': 'Bottom left',
  left: 'Left',
  'top-left': 'Top left',
} as const;

type WorkbenchPosition = keyof typeof positions;

/** The values of the options form; numbers as typed. */
export interface TryOptions {
  readonly format: 'keep' | 'auto' | OutputType;
  readonly quality: 'auto' | 'target' | 'size' | 'lossless' | 'custom';
  /** SSIMULACRA2 score, used with `target`. */
  readonly target: string;
  /** In thousands of bytes, used with `size`. */
  readonly maxKilobytes: string;
  /** On the encoder's scale, used with `custom`. */
  readonly customQuality: string;
  readonly width: string;
  readonly height: string;
  readonly fit: 'inside' | 'outside' | 'cover' | 'contain' | 'fill';
  /** What a crop keeps, or where margins leave the picture. */
  readonly position: WorkbenchPosition;
  readonly metadata: 'none' | 'copyright' | 'all';
  readonly animation: 'keep' | 'first';
  readonly hdr: 'keep' | 'drop';
  /** `#rrggbb`. */
  readonly background: string;
}

export const defaultOptions: TryOptions = {
  format: 'keep',
  quality: 'auto',
  target: '77',
  maxKilobytes: '100',
  customQuality: '75',
  width: '',
  height: '',
  fit: 'inside',
  position: 'center',
  metadata: 'none',
  animation: 'keep',
  hdr: 'keep',
  background: '#ffffff',
};

/** Error messages by field. */
export type FieldErrors = Readonly<Partial<Record<keyof TryOptions, string>>>;

/** The API's limit for width and height, in pixels. */
export const maxSide = 16_384;

/** The API's limit, in thousands of bytes: no image is larger. */
export const kilobytesLimit = 33_554;

export function fieldErrors(options: TryOptions): FieldErrors {
  const sides = (['width', 'height'] as const)
    .filter((side) => options[side].trim() !== '' && !isWhole(options[side], maxSide))
    .map((side) => [
      side,
      `Enter a whole number from 1 to ${countText(maxSide)}, or leave it empty.`,
    ]);
  return Object.fromEntries([...sides, ...qualityErrors(options)]);
}

function qualityErrors({ quality, customQuality, maxKilobytes }: TryOptions): [string, string][] {
  if (quality === 'custom' && !isWhole(customQuality, 100)) {
    return [['customQuality', 'Enter a whole number from 1 to 100.']];
  }
  if (quality === 'size' && !isWhole(maxKilobytes, kilobytesLimit)) {
    const limit = countText(kilobytesLimit);
    return [['maxKilobytes', `Enter a whole number from 1 to ${limit}.`]];
  }
  return [];
}

/** Whether the output format cannot hold transparency, so that transparent images need a background. */
export function needsBackground({ format }: Pick<TryOptions, 'format'>): boolean {
  return outputFacts.some(
    (facts) => facts.type === format && !facts.output.holdsAlpha && sourcesOf(facts) === null,
  );
}

/** Whether a part of the picture is cut off, or margins are added. */
export function hasPosition({ fit }: Pick<TryOptions, 'fit'>): boolean {
  return fit === 'cover' || fit === 'contain';
}

/** The positions that a fit has: nothing is looked for where nothing is cut off. */
export function positionsOf({ fit }: Pick<TryOptions, 'fit'>): readonly WorkbenchPosition[] {
  const all = Object.keys(positions) as WorkbenchPosition[];
  return hasPosition({ fit }) ? all.filter((one) => one !== 'auto' || fit === 'cover') : [];
}

/** Whether the result may be a JPEG, the format that holds gain maps. */
export function mayHoldGainMap({ format }: Pick<TryOptions, 'format'>): boolean {
  return format === 'keep' || format === 'auto' || format === 'jpeg';
}

/**
 * The formats that an image can be converted to.
 * @param type its media type
 * @param frames its number of frames; null if it is not an animation
 * @param query the options with which it is made
 */
export function otherFormats(type: string, frames: number | null, query: string) {
  const others = outputFacts.filter((facts) => !isOf(facts, type));
  const isStill = frames === null || new URLSearchParams(query).get('animation') === 'first';
  if (isStill) {
    return others.filter((facts) => {
      const sources = sourcesOf(facts);
      return facts.output.holdsStills && (!sources || sources.some((source) => isOf(source, type)));
    });
  }
  const moving = outputFacts.filter(({ output }) => output.holdsAnimations);
  // Other animations keep their format.
  return moving.some((facts) => isOf(facts, type))
    ? moving.filter((facts) => !isOf(facts, type))
    : [];
}

/** Whether a file that was made with loss would be stored without, which usually takes more bytes. */
export function usuallyGrows(type: string, query: string): boolean {
  const options = new URLSearchParams(query);
  const format = options.get('format');
  const isLossy = outputFacts.some((facts) => lossyTypes.has(facts.type) && isOf(facts, type));
  const isConverted = outputFacts.some((facts) => facts.type === format && !isOf(facts, type));
  return isLossy && isConverted && (format === 'png' || options.get('quality') === 'lossless');
}

const lossyTypes: ReadonlySet<string> = new Set(['jpeg', 'avif']);

function isOf({ mediaType, otherMediaTypes }: FormatFacts, type: string): boolean {
  return mediaType === type || otherMediaTypes.includes(type);
}

/** The options as an API query, without defaults; null if any of them is invalid. */
export function queryOf(options: TryOptions): string | null {
  if (Object.keys(fieldErrors(options)).length > 0) return null;
  const width = normalized(options.width);
  const height = normalized(options.height);
  const isBox = width !== '' && height !== '';
  const query = new URLSearchParams({
    ...(options.format !== defaultOptions.format && { format: options.format }),
    ...qualityQuery(options),
    ...(width && { width }),
    ...(height && { height }),
    ...(isBox && options.fit !== defaultOptions.fit && { fit: options.fit }),
    ...(isBox &&
      positionsOf(options).includes(options.position) &&
      options.position !== defaultOptions.position && { position: options.position }),
    ...(options.metadata !== defaultOptions.metadata && { metadata: options.metadata }),
    ...(options.animation !== defaultOptions.animation && { animation: options.animation }),
    ...(mayHoldGainMap(options) && options.hdr !== defaultOptions.hdr && { hdr: options.hdr }),
    ...(needsBackground(options) && { background: options.background }),
  });
  return query.toString();
}

/** The options of an API query, for the engine. */
export function optimizeOptionsOf(query: string): OptimizeOptions {
  const options = [...new URLSearchParams(query)].map(([name, text]) => [
    name === 'max_bytes' ? 'maxBytes' : name,
    /^\d+$/.test(text) ? Number(text) : text,
  ]);
  return Object.fromEntries(options);
}

function qualityQuery(options: TryOptions): Readonly<Record<string, string>> {
  switch (options.quality) {
    case 'auto':
      return {};
    case 'lossless':
      return { quality: 'lossless' };
    case 'custom':
      return { quality: normalized(options.customQuality) };
    case 'target':
      return { target: targetName(options.target) ?? options.target };
    case 'size':
      return { max_bytes: String(1000 * Number(options.maxKilobytes)) };
  }
}

/** The API's name of a target; null if it has none. */
function targetName(target: string): keyof typeof namedTargets | null {
  const names = Object.keys(namedTargets) as (keyof typeof namedTargets)[];
  return names.find((name) => namedTargets[name] === Number(target)) ?? null;
}

/** A target with its name: `77, medium`. */
export function targetText(target: string): string {
  const name = targetName(target);
  return name === null ? target : `${target}, ${name}`;
}

/** The query with another format. */
export function withFormat(query: string, format: TryOptions['format']): string {
  const changed = new URLSearchParams(query);
  const { background, format: defaultFormat } = defaultOptions;
  if (format === defaultFormat) changed.delete('format');
  else changed.set('format', format);
  if (!needsBackground({ format })) changed.delete('background');
  else if (!changed.has('background')) changed.set('background', background);
  if (!mayHoldGainMap({ format })) changed.delete('hdr');
  return ordered(changed);
}

/** The query with another limit of bytes. */
export function withMaxBytes(query: string, bytes: number): string {
  const changed = new URLSearchParams(query);
  changed.set('max_bytes', String(bytes));
  return ordered(changed);
}

/** Parameter names in canonical order, so that equivalent queries are equal. */
const names = [
  ...['format', 'quality', 'target', 'max_bytes', 'width', 'height'],
  ...['fit', 'position', 'metadata', 'animation', 'hdr', 'background'],
];

function ordered(query: URLSearchParams): string {
  // In place, because browsers without `toSorted` get as far as being told that they are too old (device.ts).
  const entries = [...query];
  entries.sort(([one], [other]) => names.indexOf(one) - names.indexOf(other));
  return new URLSearchParams(entries).toString();
}

/** A one-line summary of the options: `Original format, automatic quality`. */
export function optionsLine(options: TryOptions): string {
  const format = outputFacts.find(({ type }) => type === options.format)?.name;
  const formats = { keep: 'Original format', auto: 'Smallest format' } as const;
  const [width, height] = [normalized(options.width), normalized(options.height)];
  const metadata = { none: null, copyright: 'copyright kept', all: 'metadata kept' } as const;
  const size = [width && `${width} wide`, height && `${height} high`].filter(Boolean).join(' and ');
  return [
    format ?? formats[options.format as keyof typeof formats],
    qualityWords(options),
    size && `at most ${size}`,
    metadata[options.metadata],
    options.animation === 'first' && 'first frames only',
  ]
    .filter(Boolean)
    .join(', ');
}

function qualityWords({ quality, target, maxKilobytes, customQuality }: TryOptions): string {
  switch (quality) {
    case 'auto':
      return 'automatic quality';
    case 'lossless':
      return 'lossless';
    case 'custom':
      return `encoder setting ${normalized(customQuality)}`;
    case 'target':
      return `score ${target}`;
    case 'size':
      return `at most ${normalized(maxKilobytes)} KB`;
  }
}

function isWhole(text: string, max: number): boolean {
  const value = Number(text);
  return /^\s*\d{1,5}\s*$/.test(text) && value >= 1 && value <= max;
}

/** A number without spaces and leading zeros. */
function normalized(text: string): string {
  return text.trim() === '' ? '' : String(Number(text));
}

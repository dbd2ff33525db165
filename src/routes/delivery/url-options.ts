import { ApiError } from '../../errors.ts';
import {
  defaultOptions,
  maxSide,
  namedPositions,
  type OptimizeOptions,
  optionRules,
  pointPattern,
  positionOf,
} from '../../image/engine.ts';
import { type OutputType, outputTypes } from '../../image/formats/facts.ts';
import { namedTargets, targetRange } from '../../image/metric/targets.ts';

// The options in the URL of an image: the grammar of IPX (https://github.com/unjs/ipx), so that its clients work as they
// are, with the names of this service's own options beside its own.

/** What the options of a URL ask for. */
export interface UrlOptions {
  /** All options but `accept`, which depends on who asks. */
  readonly options: Omit<OptimizeOptions, 'accept'>;
  /** The same result has the same text, however its options are written. */
  readonly canonical: string;
  /** When the URL expires, in seconds since 1970; null if it does not. */
  readonly expiresAt: number | null;
}

/** The presets of a site, by name: options in this grammar. */
export type Presets = Readonly<Record<string, string>>;

/** Aliases by their names in the API. */
const names = {
  width: ['w', 'width'],
  height: ['h', 'height'],
  resize: ['s', 'resize'],
  dpr: ['dpr'],
  fit: ['fit'],
  position: ['pos', 'position'],
  format: ['f', 'format'],
  quality: ['q', 'quality'],
  target: ['t', 'target'],
  max_bytes: ['m', 'max_bytes'],
  background: ['b', 'background'],
  animation: ['a', 'animated'],
  preset: ['p', 'preset'],
  exp: ['exp'],
} as const;

type Name = keyof typeof names;

const nameOfAlias = new Map<string, Name>(
  Object.entries(names).flatMap(([name, aliases]) =>
    aliases.map((alias) => [alias, name as Name] as const),
  ),
);

/** Positions by the names that IPX has for them, with a hyphen for a space. */
const positionAliases = new Map([
  ['centre', 'center'],
  ['north', 'top'],
  ['east', 'right'],
  ['south', 'bottom'],
  ['west', 'left'],
  ['left-top', 'top-left'],
  ['northwest', 'top-left'],
  ['right-top', 'top-right'],
  ['northeast', 'top-right'],
  ['left-bottom', 'bottom-left'],
  ['southwest', 'bottom-left'],
  ['right-bottom', 'bottom-right'],
  ['southeast', 'bottom-right'],
  // Each of them looks for what matters, in its own way.
  ['attention', 'auto'],
  ['entropy', 'auto'],
]);

/** Values as they are written, by name. */
type Values = ReadonlyMap<Name, string>;

/**
 * Reads the options of a URL.
 * @param segment the decoded part of the path
 * @param presetsOnly whether nothing but a preset may be asked for
 * @throws ApiError `invalid_options`, which lists what exists; `preset_required`
 */
export function readUrlOptions(
  segment: string,
  presets: Presets,
  presetsOnly: boolean,
): UrlOptions {
  const given = valuesIn(segment);
  const own = [...given.keys()].filter((name) => name !== 'preset' && name !== 'exp');
  if (presetsOnly && own.length > 0) {
    throw new ApiError('preset_required');
  }
  const preset = given.get('preset');
  const overridden = [...given.keys()].flatMap((name) => insteadOf[name] ?? []);
  const ofPreset = preset === undefined ? [] : [...presetValues(preset, presets)];
  const values = new Map([...ofPreset.filter(([name]) => !overridden.includes(name)), ...given]);
  values.delete('preset');
  const options = optionsOf(values);
  const expiry = values.get('exp');
  return {
    options,
    canonical: canonicalText(options),
    expiresAt: expiry === undefined ? null : wholeNumber('exp', expiry, 0, 1e11),
  };
}

/** What of a preset an option of the URL overrides, besides the option of its own name: others that say the same thing. */
const insteadOf: Partial<Record<Name, readonly Name[]>> = {
  resize: ['width', 'height'],
  quality: ['target', 'max_bytes'],
  target: ['quality'],
  max_bytes: ['quality'],
};

/** Pairs between commas or ampersands; name and value are separated by the first `_`, `:` or `=`. */
function valuesIn(segment: string): Values {
  const values = new Map<Name, string>();
  if (segment === '_') return values;
  for (const pair of segment.split(/[,&]/)) {
    const [, alias = '', value = ''] = /^([a-z]+(?:_bytes)?)(?:[_:=](.*))?$/s.exec(pair) ?? [];
    const name = nameOfAlias.get(alias);
    if (!name) throw invalid(`"${shortened(pair)}" is no option. There are ${listed}.`);
    if (values.has(name)) throw invalid(`"${alias}" is given twice.`);
    values.set(name, value);
  }
  return values;
}

const listed = Object.values(names)
  .map((aliases) => aliases.join(' or '))
  .join(', ');

function presetValues(name: string, presets: Presets): Values {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset === undefined) throw invalid(`There is no preset "${shortened(name)}" on this site.`);
  return valuesIn(preset);
}

function optionsOf(values: Values): UrlOptions['options'] {
  const { accept: _, ...defaults } = defaultOptions;
  const { width, height } = sidesOf(values);
  const fit = fitOf(values, width !== null && height !== null);
  const quality = values.get('quality');
  const background = values.get('background');
  return {
    ...defaults,
    ...{ width, height, fit },
    position: placeOf(values, fit),
    format: formatOf(values.get('format')),
    quality: quality === undefined ? 'auto' : qualityOf(quality),
    ...goalsOf(values),
    background: background === undefined ? null : colorOf(background),
    animation: values.get('animation') === 'first' ? 'first' : 'keep',
  };
}

function sidesOf(values: Values): Pick<OptimizeOptions, 'width' | 'height'> {
  const resize = values.get('resize');
  const [across, down] = resize?.split('x') ?? [];
  const dpr = values.get('dpr');
  const factor = dpr === undefined ? 1 : dprOf(dpr);
  const side = (name: 'width' | 'height', other: string | undefined) => {
    const text = values.get(name) ?? other;
    if (text === undefined) return null;
    return Math.min(maxSide, Math.round(factor * pixels(name, text)));
  };
  return { width: side('width', across), height: side('height', resize && (down ?? across)) };
}

/** Clients compute a side from the other one and a ratio, and not all of them round it. */
function pixels(name: string, text: string): number {
  const rounded = /^\d{1,5}\.\d{1,20}$/.test(text) ? String(Math.round(Number(text))) : text;
  return wholeNumber(name, rounded, 1, maxSide);
}

function dprOf(text: string): number {
  if (/^[1-4](?:\.\d{1,2})?$/.test(text) && Number(text) <= 4) return Number(text);
  throw invalid('"dpr" should be 1 to 4.');
}

function fitOf(values: Values, hasBoth: boolean): OptimizeOptions['fit'] {
  const fit = values.get('fit');
  if (fit === undefined) return hasBoth ? 'cover' : 'inside';
  const word = optionRules.fit.words.find((one) => one === fit);
  if (!word) throw invalid(`"fit" should be ${optionRules.fit.words.join(', ')}.`);
  // As in IPX, a fit without both sides says nothing.
  return hasBoth ? word : 'inside';
}

function placeOf(values: Values, fit: OptimizeOptions['fit']): OptimizeOptions['position'] {
  const written = values.get('position');
  if (written === undefined) return defaultOptions.position;
  const word = written.replace(' ', '-');
  const text = positionAliases.get(word) ?? word;
  const point = text.replace('x', ',');
  const isPoint = pointPattern.test(point);
  if (!isPoint && text !== 'auto' && !Object.hasOwn(namedPositions, text)) {
    const words = [...Object.keys(namedPositions), 'auto'].join(', ');
    throw invalid(`"pos" should be ${words}, or a point such as 0.3x0.5.`);
  }
  const isOfUse = fit === 'cover' || fit === 'contain';
  return isOfUse ? positionOf(isPoint ? point : text) : defaultOptions.position;
}

function formatOf(text: string | undefined): OptimizeOptions['format'] {
  if (text === undefined || text === 'auto') return 'auto';
  if (text === 'keep') return 'keep';
  const type = text === 'jpg' ? 'jpeg' : text;
  const known = outputTypes.find((one): one is OutputType => one === type);
  if (!known) throw invalid(`"format" should be auto, keep, jpg or ${outputTypes.join(', ')}.`);
  return known;
}

function qualityOf(text: string): OptimizeOptions['quality'] {
  if (text === 'auto' || text === 'lossless') return text;
  return wholeNumber('quality', text, 1, 100);
}

function goalsOf(values: Values): Pick<OptimizeOptions, 'target' | 'maxBytes'> {
  const target = values.get('target');
  const maxBytes = values.get('max_bytes');
  if (values.has('quality') && (target ?? maxBytes) !== undefined) {
    throw invalid('"quality" cannot be combined with "target" or "max_bytes".');
  }
  return {
    target: target === undefined ? null : targetOf(target),
    maxBytes: maxBytes === undefined ? null : wholeNumber('max_bytes', maxBytes, 1000, 1e15),
  };
}

function targetOf(text: string): number {
  const [, named] = Object.entries(namedTargets).find(([name]) => name === text) ?? [];
  return named ?? wholeNumber('target', text, targetRange.min, targetRange.max);
}

function colorOf(text: string): readonly [number, number, number] {
  // Clients of IPX pass on what their users know from CSS.
  const digits = text.replace(/^#/, '');
  const long = /^[0-9a-f]{3}$/i.test(digits)
    ? [...digits].map((digit) => digit + digit).join('')
    : digits;
  if (!/^[0-9a-f]{6}$/i.test(long)) throw invalid('"background" should look like ffffff.');
  const channel = (at: number) => Number.parseInt(long.slice(at, at + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw invalid(`"${name}" should be a whole number from ${min} to ${max}.`);
}

/** Options that differ from the defaults, by name. */
function canonicalText(options: UrlOptions['options']): string {
  const pairs = Object.entries(options)
    .filter(([name, value]) => {
      const usual = name === 'format' ? 'auto' : defaultOptions[name as keyof typeof options];
      return JSON.stringify(value) !== JSON.stringify(usual);
    })
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.sort().join('&') || '_';
}

function shortened(text: string): string {
  return text.slice(0, 40);
}

function invalid(detail: string): ApiError {
  return new ApiError('invalid_options', detail);
}

import type { paths } from './client/api.ts';
import { formats } from './formats.ts';

/** Options of `POST /v1/optimize`, under their API names. Omitted ones have the service's defaults. */
export type OptimizeOptions = NonNullable<paths['/v1/optimize']['post']['parameters']['query']>;

export type OptionName = keyof OptimizeOptions;

interface OptionValues {
  readonly words: readonly string[];
  readonly range?: { readonly min: number; readonly max: number | undefined };
  readonly pattern?: string;
}

/** Valid values of each option. A test compares them with the OpenAPI document. */
export const optionValues = {
  format: { words: ['keep', 'auto', ...Object.values(formats).map(({ name }) => name)] },
  quality: { words: ['auto', 'lossless'], range: { min: 1, max: 100 } },
  target: { words: ['low', 'medium', 'high'], range: { min: 30, max: 95 } },
  max_bytes: { words: [], range: { min: 1000, max: undefined } },
  width: { words: [], range: { min: 1, max: 16384 } },
  height: { words: [], range: { min: 1, max: 16384 } },
  fit: { words: ['inside', 'cover'] },
  metadata: { words: ['none', 'copyright', 'all'] },
  animation: { words: ['keep', 'first'] },
  hdr: { words: ['keep', 'drop'] },
  background: { words: [], pattern: '^#[0-9A-Fa-f]{6}$' },
} as const satisfies Record<OptionName, OptionValues>;

export const optionNames = Object.keys(optionValues) as OptionName[];

/** Options as strings, from a command line or the inputs of a workflow. */
export type OptionTexts = Readonly<Partial<Record<OptionName, string | undefined>>>;

/**
 * Parses options.
 * @throws RangeError that names the first invalid option and its valid values
 */
export function readOptions(texts: OptionTexts): OptimizeOptions {
  const given = optionNames.flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, readValue(name, text)] as const];
  });
  const options: OptimizeOptions = Object.fromEntries(given);
  if (options.quality !== undefined) {
    const other = (['target', 'max_bytes'] as const).find((name) => options[name] !== undefined);
    if (other) throw new RangeError(`"quality" cannot be combined with "${other}".`);
  }
  if (options.fit === 'cover' && (options.width === undefined || options.height === undefined)) {
    throw new RangeError('"fit" can be "cover" only with both "width" and "height".');
  }
  return options;
}

function readValue(name: OptionName, text: string): string | number {
  const { words, range, pattern }: OptionValues = optionValues[name];
  if (words.includes(text)) return text;
  if (pattern && new RegExp(pattern).test(text)) return text;
  if (range && /^\d{1,12}$/.test(text)) {
    const number = Number(text);
    if (number >= range.min && number <= (range.max ?? Number.POSITIVE_INFINITY)) return number;
  }
  const numbers = range && (range.max ? `${range.min} to ${range.max}` : `${range.min} or more`);
  const choices = [...words, ...(numbers ? [numbers] : []), ...(pattern ? ['#rrggbb'] : [])];
  throw new RangeError(`"${name}" cannot be "${text}", but: ${choices.join(', ')}.`);
}

/** A canonical string for a set of options: the same for any order of keys. */
export function optionsKey(options: OptimizeOptions): string {
  const given = optionNames.filter((name) => options[name] !== undefined);
  return JSON.stringify(given.map((name) => [name, options[name]]));
}

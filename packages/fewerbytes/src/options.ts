import {
  defaultOptions,
  type GivenOptions,
  type GivenSetOptions,
  ImageError,
  type OptionRule,
  optionRules,
  readOptions as readGiven,
  readSetOptions as readGivenSet,
} from '../../../src/image/engine.ts';

export type OptimizeOptions = GivenOptions;
export type SetOptions = GivenSetOptions;

/** An option that is one word or number. */
export type OptionName = keyof typeof optionRules;

export const optionNames = Object.keys(optionRules) as OptionName[];

/** Options as strings, from a command line or the inputs of a workflow. */
export type OptionTexts = Readonly<Partial<Record<OptionName, string | undefined>>>;

/**
 * Parses options.
 * @throws RangeError that names the first invalid option and its valid values; it does not quote what was given
 */
export function readOptions(texts: OptionTexts): OptimizeOptions {
  const options = valuesOf(texts);
  checkOptions(options);
  return options;
}

/**
 * Parses the options of a set.
 * @param lists widths and formats separated by commas, and the ratio
 * @throws RangeError as `readOptions`
 */
export function readSetOptions(
  lists: { readonly widths: string; readonly formats?: string; readonly ratio?: string },
  texts: OptionTexts,
): SetOptions {
  const { widths, formats, ratio } = lists;
  const set = {
    ...valuesOf(texts),
    widths: widths.split(',').map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : Number.NaN)),
    ...(formats !== undefined && { formats: formats.split(',') as SetOptions['formats'] }),
    ...(ratio !== undefined && { ratio }),
  };
  checkSet(set);
  return set;
}

/** The values that texts stand for, unchecked. */
function valuesOf(texts: OptionTexts): OptimizeOptions {
  const given = optionNames.flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, readValue(name, text)] as const];
  });
  return Object.fromEntries(given);
}

/**
 * Checks options.
 * @throws RangeError with the sentence of the engine about the first invalid one
 */
export function checkOptions(options: OptimizeOptions): void {
  check(() => readGiven(options));
}

/**
 * Checks the options of a set.
 * @throws RangeError as `checkOptions`
 */
export function checkSet(set: SetOptions): void {
  check(() => readGivenSet(set));
}

function check(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    throw error instanceof ImageError ? new RangeError(error.detail, { cause: error }) : error;
  }
}

/**
 * Checks the names of settings: programs may have no types, and put options among them.
 * @param known all that there are
 * @throws RangeError that names the first one that is none
 */
export function checkSettings<Settings extends object>(
  settings: Settings,
  known: Readonly<Record<keyof Settings, unknown>>,
): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const isOption = name === 'among' || Object.hasOwn(optionRules, name);
    const hint = isOption ? `, but an option: write "options: { ${name}: … }"` : '';
    throw new RangeError(`"${name}" is not a setting${hint}.`);
  }
}

/** A number where the option takes one. */
function readValue(name: OptionName, text: string): string | number {
  const { range }: OptionRule = optionRules[name];
  return range && /^\d{1,12}$/.test(text) ? Number(text) : text;
}

/** The flag for an option: hyphens instead of capitals. */
export function flagOf(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * A canonical string for valid options, without those that have their defaults: the same however they are written, so
 * that a run knows the results of an earlier one that was told the same in other words.
 */
export function optionsKey(options: OptimizeOptions | SetOptions): string {
  const meant = meaningOf(options);
  const usual: Readonly<Record<string, unknown>> = { ...defaultOptions, ratio: null };
  const names = [...optionNames, 'among', 'widths', 'formats', 'ratio'];
  const pairs = names.map((name) => [name, JSON.stringify(meant[name])] as const);
  const special = pairs.filter(([name, value]) => value && value !== JSON.stringify(usual[name]));
  return `[${special.map(([name, value]) => `[${JSON.stringify(name)},${value}]`).join()}]`;
}

/** What options say, with their defaults. */
function meaningOf(options: OptimizeOptions | SetOptions): Readonly<Record<string, unknown>> {
  if ('widths' in options) {
    const { shared, ...set } = readGivenSet(options);
    return { ...shared, ...set };
  }
  const { among, ...others } = readGiven(options);
  return { ...others, among: among && [...among] };
}

import {
  type GivenOptions,
  ImageError,
  type OptionRule,
  optionRules,
  readOptions as readGiven,
} from '../../../src/image/engine.ts';

export type OptimizeOptions = GivenOptions;

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
  const given = optionNames.flatMap((name) => {
    const text = texts[name];
    return text === undefined ? [] : [[name, readValue(name, text)] as const];
  });
  const options: OptimizeOptions = Object.fromEntries(given);
  checkOptions(options);
  return options;
}

/**
 * Checks options.
 * @throws RangeError with the sentence of the engine about the first invalid one
 */
export function checkOptions(options: OptimizeOptions): void {
  try {
    readGiven(options);
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
export function readValue(name: OptionName, text: string): string | number {
  const { range }: OptionRule = optionRules[name];
  return range && /^\d{1,12}$/.test(text) ? Number(text) : text;
}

/** The flag for an option: hyphens instead of capitals. */
export function flagOf(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A canonical string for a set of options: the same for any order of keys. */
export function optionsKey(options: OptimizeOptions): string {
  const names = [...optionNames, 'among'] as const;
  const given = names.filter((name) => options[name] !== undefined);
  return JSON.stringify(given.map((name) => [name, options[name]]));
}

/**
 * Makes sure that no option was lost: without a preceding `--`, npm consumes options and passes none of them on, so
 * that a command meant for a deployment would run locally, or the other way round.
 * @param names the command's options, without the dashes
 * @throws Error that explains where options belong
 */
export function demandAllOptions(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const kept = names.filter((name) => environment[`npm_config_${name.replaceAll('-', '_')}`]);
  if (kept.length === 0) return;
  throw new Error(`Options of this command come after "--": -- --${kept.join(' --')}`);
}

/** Parses a whole-number option; exits with status 2 if it is invalid. */
export function wholeNumber(name: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  console.error(`--${name} takes a whole number of at least ${least}, not "${text}".`);
  process.exit(2);
}

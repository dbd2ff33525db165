/**
 * Makes sure that no option got lost: without `--` before them npm takes options for its own and hands
 * none of them on, so that what was meant for a deployment would be done here, and the other way round.
 * @param names of the command's options, without the dashes
 * @throws Error that says where options stand
 */
export function demandAllOptions(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const kept = names.filter((name) => environment[`npm_config_${name.replaceAll('-', '_')}`]);
  if (kept.length === 0) return;
  throw new Error(`Options of this command come after "--": -- --${kept.join(' --')}`);
}

/** The value of an option that counts something; ends the process with status 2 when it does not. */
export function wholeNumber(name: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  console.error(`--${name} takes a whole number of at least ${least}, not "${text}".`);
  process.exit(2);
}

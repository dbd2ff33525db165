/** The value of an option that counts something; ends the process with status 2 when it does not. */
export function wholeNumber(name: string, text: string, least = 0): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  console.error(`--${name} takes a whole number of at least ${least}, not "${text}".`);
  process.exit(2);
}

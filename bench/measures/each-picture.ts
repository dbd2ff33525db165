export interface Measured<Result> {
  readonly results: readonly Result[];
  /** Of pictures that could not be measured; the others count without them. */
  readonly failures: readonly string[];
}

/** Measures pictures one after the other, and says of each that it is done. */
export async function eachPicture<Picture extends { readonly name: string }, Result>(
  pictures: readonly Picture[],
  measure: (picture: Picture) => Promise<Result>,
  say: (line: string) => void,
): Promise<Measured<Result>> {
  const results: Result[] = [];
  const failures: string[] = [];
  for (const picture of pictures) {
    const { name } = picture;
    try {
      results.push(await measure(picture));
      say(name);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : error}`);
      say(`${name}: not measured`);
    }
  }
  return { results, failures };
}

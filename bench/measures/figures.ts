type Maybe = number | undefined;

/** A cell of a table with so many digits after the point. */
export function figure(value: Maybe, digits = 0): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
}

/** Bytes as a cell in MiB. */
export function mebibytes(bytes: Maybe): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20, 1);
}

/** Pixels in millions. */
export function megapixels({ width, height }: { width: number; height: number }): number {
  return (width * height) / 1e6;
}

/** The middle one of those that are there, or the mean of the two in the middle. */
export function median(values: readonly Maybe[]): Maybe {
  const sorted = present(values).sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

export function mean(values: readonly Maybe[]): Maybe {
  const all = present(values);
  return all.length === 0 ? undefined : sum(all) / all.length;
}

/** For ratios. */
export function geometricMean(values: readonly Maybe[]): Maybe {
  const logarithm = mean(present(values).map(Math.log));
  return logarithm === undefined ? undefined : Math.exp(logarithm);
}

export function least(values: readonly Maybe[]): Maybe {
  const all = present(values);
  return all.length === 0 ? undefined : Math.min(...all);
}

export function most(values: readonly Maybe[]): Maybe {
  const all = present(values);
  return all.length === 0 ? undefined : Math.max(...all);
}

/** First over second, where both are there. */
export function ratio(ours: Maybe, theirs: Maybe): Maybe {
  return ours === undefined || !theirs ? undefined : ours / theirs;
}

/** Sum of the first ones over that of the second ones, of pairs that have both. */
export function ratioOfSums(pairs: readonly (readonly [Maybe, Maybe])[]): Maybe {
  const whole = pairs.flatMap(([a, b]) => (a === undefined || b === undefined ? [] : [[a, b]]));
  if (whole.length === 0) return undefined;
  return ratio(sum(whole.map(([a = 0]) => a)), sum(whole.map(([, b = 0]) => b)));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function present(values: readonly Maybe[]): number[] {
  return values.filter((value) => value !== undefined);
}

/** At most so many of a list, evenly from all over it, always the same ones. */
export function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, i) => items[Math.floor((i * items.length) / most)],
  ).filter((item) => item !== undefined);
}

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

type Maybe = number | undefined;

/** Formats a table cell with a number of decimals. */
export function figure(value: Maybe, digits = 0): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
}

/** Formats bytes as a table cell in MiB. */
export function mebibytes(bytes: Maybe): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20, 1);
}

/** Pixel count in millions. */
export function megapixels({ width, height }: { width: number; height: number }): number {
  return (width * height) / 1e6;
}

/** The median of the defined values. */
export function median(values: readonly Maybe[]): Maybe {
  const sorted = present(values).sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** The value below which a share of the values lies, such as 0.9; one of them, never in between. */
export function quantile(values: readonly number[], share: number): Maybe {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}

export function mean(values: readonly Maybe[]): Maybe {
  const all = present(values);
  return all.length === 0 ? undefined : sum(all) / all.length;
}

/** The geometric mean, for ratios. */
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

/** First value over second; undefined if either is missing. */
export function ratio(ours: Maybe, theirs: Maybe): Maybe {
  return ours === undefined || !theirs ? undefined : ours / theirs;
}

/** The sum of the first values over the sum of the second values, of pairs that have both. */
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

/** At most `most` items, evenly spaced over the list; the selection is deterministic. */
export function evenly<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, i) => items[Math.floor((i * items.length) / most)],
  ).filter((item) => item !== undefined);
}

export interface Measured<Result> {
  readonly results: readonly Result[];
  /** Errors of pictures that could not be measured; the results are those of the others. */
  readonly failures: readonly string[];
}

/** Measures pictures one after the other, and reports progress for each. */
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

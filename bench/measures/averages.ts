type Maybe = number | undefined;

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

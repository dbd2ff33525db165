import { describe, it } from 'vitest';

/**
 * A test for each of several cases that are much alike; all but the first are tagged `slow`, since they take long for
 * what they add.
 * @param name with the placeholders of `it.each`, which spreads a case that is a tuple
 */
export function itForEach<const T extends readonly unknown[]>(
  cases: readonly T[],
  name: string,
  test: (...values: [...T]) => Promise<void> | void,
  timeout?: number,
): void;
export function itForEach<const T>(
  cases: readonly T[],
  name: string,
  test: (value: T) => Promise<void> | void,
  timeout?: number,
): void;
export function itForEach<T>(
  cases: readonly T[],
  name: string,
  test: (value: T) => Promise<void> | void,
  timeout = 120_000,
): void {
  for (const [i, value] of cases.entries()) {
    it.each([value])(name, { tags: i === 0 ? [] : ['slow'], timeout }, test);
  }
}

/** A suite for each of several cases that are much alike; all but the first are tagged `slow`, as in {@link itForEach}. */
export function describeForEach<const T extends readonly unknown[]>(
  cases: readonly T[],
  name: string,
  tests: (...values: [...T]) => void,
): void {
  for (const [i, values] of cases.entries()) {
    const options = { tags: i === 0 ? [] : ['slow'] };
    describe.for([values])(name, options, (one) => tests(...one));
  }
}

import { it } from 'vitest';

/**
 * A test for each of several cases that are much alike; all but the first are tagged `slow`, since they take long for
 * what they add.
 * @param name with the placeholders of `it.each`
 */
export function itForEach<T>(
  cases: readonly T[],
  name: string,
  test: (value: T) => Promise<void>,
  timeout = 60_000,
): void {
  for (const [i, value] of cases.entries()) {
    it.each([value])(name, { tags: i === 0 ? [] : ['slow'], timeout }, test);
  }
}

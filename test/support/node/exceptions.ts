interface Exception {
  /** Below the root of the project. */
  readonly file: string;
  /** The name of the test with those of its groups; the whole file by default. */
  readonly test?: string;
  /** What is particular to Workers. */
  readonly reason: string;
}

/** The tests of `test/api` that do not run with `TARGET=node`. */
export const exceptions: readonly Exception[] = [
  {
    file: 'test/api/migrations.test.ts',
    reason: 'the local database of wrangler, which several processes migrate at once',
  },
  {
    file: 'test/api/limits.test.ts',
    test: 'a body of 40 MiB > that says so is refused without being held',
    reason: 'workerd frees what it has received at once; Node collects 32 MiB of such buffers',
  },
];

/** Why a test does not run on Node; null if it does. */
export function exceptionOf(file: string, test: string): string | null {
  return exceptions.find((one) => one.file === file && one.test === test)?.reason ?? null;
}

interface Exception {
  /** Below the root of the project. */
  readonly file: string;
  /** The name of the test with those of its groups; the whole file by default. */
  readonly test?: string;
  /** What is particular to Workers. */
  readonly reason: string;
}

const elsewhere = 'work has memory of its own in threads: no body has to make way for it';

/** The tests of `test/api` that do not run with `TARGET=node`. */
export const exceptions: readonly Exception[] = [
  ...['as they are', 'in a form'].map((how) => ({
    file: 'test/api/slow-bodies.test.ts',
    test: `uploads that trickle > after most of their bytes have come, ${how}, make way and get 503`,
    reason: elsewhere,
  })),
  {
    file: 'test/api/slow-bodies.test.ts',
    test: 'uploads that trickle > make way for work on another user’s picture',
    reason: elsewhere,
  },
  {
    file: 'test/api/url-source-limits.test.ts',
    test: 'a server that takes its time > makes way for other users’ images',
    reason: elsewhere,
  },
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

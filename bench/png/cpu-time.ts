const runs = 3;

/** Median CPU time of a few runs in milliseconds of this process, its threads included. */
export function cpuTime(run: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return times.sort((a, b) => a - b)[runs >> 1] ?? Number.NaN;
}

import { spent } from '../measures/cpu-time.ts';
import type { BenchSettings, Part, Section } from './section.ts';
import { terminalTable } from './table.ts';

/** What became of one part. */
export type Outcome = {
  readonly name: string;
  readonly minutes: number;
  /** Of CPU time, on Linux that of programs and services with it, once they have ended. */
  readonly cpuMinutes: number;
} & (
  | { readonly kind: 'measured'; readonly section: Section }
  | { readonly kind: 'broken'; readonly reason: string }
);

/** In milliseconds. */
const minute = 60_000;

/** Runs a part and prints its tables; one that breaks is an outcome as well. */
export async function outcomeOf(part: Part, settings: BenchSettings): Promise<Outcome> {
  const { name } = part;
  const [start, spentBefore] = [performance.now(), spent()];
  const taken = () => ({
    minutes: (performance.now() - start) / minute,
    cpuMinutes: (spent() - spentBefore) / minute,
  });
  settings.say(`\n${name}`);
  try {
    const section = await part.measure(settings);
    for (const table of section.tables) settings.say(`\n${terminalTable(table)}`);
    return { kind: 'measured', name, ...taken(), section };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { kind: 'broken', name, ...taken(), reason };
  }
}

/** What does not hold though it should, each with the part that found it. */
export function failuresOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.kind === 'broken') {
      const [reason = ''] = outcome.reason.split('\n');
      return [`${outcome.name}: not measured, ${reason}`];
    }
    return outcome.section.failures.map((failure) => `${outcome.name}: ${failure}`);
  });
}

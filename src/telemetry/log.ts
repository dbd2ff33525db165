import { count } from './counts.ts';
import type { faults } from './faults.ts';

type Table = typeof faults;

type OptionalOf<Fault extends keyof Table> = Table[Fault] extends {
  readonly optional: readonly (infer Member extends string)[];
}
  ? Member
  : never;

/** The members of a fault, and no others. */
type FactsOf<Fault extends keyof Table> = {
  readonly [Member in Table[Fault]['members'][number]]: string;
} & { readonly [Member in OptionalOf<Fault>]?: string | undefined };

/**
 * Logs a fault as one object, and counts it.
 * @param facts nothing that a client has sent
 */
export function logFault<const Fault extends keyof Table>(
  event: Fault,
  facts: FactsOf<Fault>,
): void {
  count('fewerbytes_faults_total', { event });
  console.error({ event, ...facts });
}

/** What is logged of a caught value: where it was thrown, if it is an error. */
export function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

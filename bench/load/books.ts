import { contradictions } from '../../test/slow/faults/contradictions.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { RestartableService } from '../../test/support/restartable-service.ts';

/**
 * Whether what was answered is what is in the books, and these do not contradict themselves.
 * @param answered pictures that have come whole
 * @param cut requests that may have been under way when a measurement was stopped
 */
export async function audit(
  { database }: RestartableService,
  answered: number,
  cut: number,
): Promise<string[]> {
  const count = (query: string) => Number(database.open((file) => file.prepare(query).get())?.n);
  await eventually(async () => {
    if (count('SELECT count(*) AS n FROM reservations') > 0) throw new Error('bookings are open');
  });
  const booked = count('SELECT coalesce(sum(files), 0) AS n FROM usage_days');
  const complaints = database.open(contradictions);
  if (booked < answered || booked > answered + cut) {
    complaints.push(`${answered} pictures were answered, and ${booked} are in the books`);
  }
  return complaints;
}

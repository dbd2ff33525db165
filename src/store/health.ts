export type Part = 'database' | 'kv';

/** How long a part may take to answer, in milliseconds. */
const patience = 5000;

/** The parts that do not answer. */
export async function failingParts({ DB, KV }: Pick<Env, 'DB' | 'KV'>): Promise<Part[]> {
  const checks: readonly (readonly [Part, Promise<unknown>])[] = [
    // changes nothing, but is refused where nothing can be written; the column is of the latest schema
    ['database', DB.prepare('UPDATE users SET former_address = NULL WHERE 1 = 0').run()],
    ['kv', KV.get('health')],
  ];
  const outcomes = await Promise.allSettled(checks.map(([, check]) => inTime(check)));
  return checks.flatMap(([part], i) => (outcomes[i]?.status === 'rejected' ? [part] : []));
}

/** Fails when an answer takes too long. */
async function inTime(answer: Promise<unknown>): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), patience);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

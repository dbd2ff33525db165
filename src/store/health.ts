export type Part = 'database' | 'kv';

/** The parts that do not answer. */
export async function failingParts({ DB, KV }: Pick<Env, 'DB' | 'KV'>): Promise<Part[]> {
  const checks: readonly (readonly [Part, Promise<unknown>])[] = [
    ['database', DB.prepare('SELECT former_address FROM users LIMIT 1').run()],
    ['kv', KV.get('health')],
  ];
  const outcomes = await Promise.allSettled(checks.map(([, check]) => check));
  return checks.flatMap(([part], i) => (outcomes[i]?.status === 'rejected' ? [part] : []));
}

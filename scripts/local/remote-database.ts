import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import type { Statement, Transaction } from '../../src/store/database.ts';
import { root, wranglerScript } from './root.ts';

const answer = z.array(z.object({ results: z.array(z.looseObject({})) }));
const complaint = z.object({ error: z.object({ text: z.string() }) });

/**
 * A database as wrangler reaches it, which is signed in to the account. It takes
 * nothing but SQL, and that in the list of processes: no secret may be in it.
 * @param place `--remote`, or options for a local one
 */
export function wranglerDatabase(...place: readonly string[]): Transaction {
  return async (statements) => {
    const sql = statements.map(inline).join(';\n');
    const { status, stdout } = spawnSync(
      process.execPath,
      [wranglerScript, 'd1', 'execute', 'DB', ...place, '--yes', '--json', '--command', sql],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
        maxBuffer: 64 * 1024 * 1024,
        // its answer is part of its log
        env: { ...process.env, WRANGLER_LOG: 'log', KEY_SECRETS: '' },
      },
    );
    if (status !== 0) throw new Error(`wrangler could not do it: ${reasonIn(stdout)}`);
    return answer.parse(JSON.parse(stdout)).map(({ results }) => results);
  };
}

/** A statement with its values in it. */
export function inline({ sql, values }: Statement): string {
  return sql.replaceAll(/\?(\d+)/g, (_, place) => literal(values[Number(place) - 1]));
}

function literal(value: string | number | null | undefined): string {
  if (value === null) return 'NULL';
  if (value === undefined) throw new RangeError('a statement with more places than values');
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** With `--json` wrangler says there what went wrong. */
function reasonIn(output: string): string {
  try {
    return complaint.parse(JSON.parse(output)).error.text;
  } catch {
    return 'see above.';
  }
}

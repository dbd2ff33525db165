import { spawnSync } from 'node:child_process';
import { z } from 'zod';
import type { Statement, Transaction } from '../../src/store/database.ts';
import { root, wranglerScript } from './root.ts';

const resultOutput = z.array(z.object({ results: z.array(z.looseObject({})) }));
const errorOutput = z.object({ error: z.object({ text: z.string() }) });

/**
 * A database accessed through wrangler, which is signed in to the account. Wrangler only accepts SQL text, which is
 * visible in the list of processes, so it must not contain secrets.
 * @param place `--remote`, or options for a local database
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
        // The response is part of wrangler's log, so the log has to be on.
        env: { ...process.env, WRANGLER_LOG: 'log', KEY_SECRETS: '' },
      },
    );
    if (status !== 0) throw new Error(`wrangler could not do it: ${reasonIn(stdout)}`);
    return resultOutput.parse(JSON.parse(stdout)).map(({ results }) => results);
  };
}

/** A statement with its values inlined. */
export function inline({ sql, values }: Statement): string {
  return sql.replaceAll(/\?(\d+)/g, (_, place) => literal(values[Number(place) - 1]));
}

function literal(value: string | number | null | undefined): string {
  if (value === null) return 'NULL';
  if (value === undefined) throw new RangeError('a statement with more places than values');
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

/** The error message, which wrangler prints on stdout with `--json`. */
function reasonIn(output: string): string {
  try {
    return errorOutput.parse(JSON.parse(output)).error.text;
  } catch {
    return 'see above.';
  }
}

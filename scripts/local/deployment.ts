import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { z } from 'zod';
import { isPlaceholder } from '../../src/access/email-address.ts';
import { readConfig } from '../../src/config.ts';
import { demandAllOptions } from './options.ts';
import { root } from './root.ts';

/** Options of a deployment. */
export interface DeployOptions {
  readonly isDryRun: boolean;
  readonly env?: string | undefined;
  /** The configuration file, if not wrangler.toml. */
  readonly config?: string | undefined;
}

/**
 * Runs wrangler with these arguments, and returns its output if `output` is `read`.
 * @throws Error if it fails
 */
export type Wrangler = (args: readonly string[], output: 'shown' | 'read') => string;

/**
 * Reads the options of the command line.
 * @throws Error for unknown arguments, so that a mistyped dry run does not deploy
 */
export function readDeployOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DeployOptions {
  demandAllOptions(['dry-run', 'env', 'config'], environment);
  const { values } = parseArgs({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      env: { type: 'string' },
      config: { type: 'string' },
    },
  });
  return { isDryRun: values['dry-run'], env: values.env, config: values.config };
}

/**
 * Deploys step by step; each step runs only after the previous one has succeeded.
 * @throws Error of the step that failed
 */
export function deploy(
  { isDryRun, env, config }: DeployOptions,
  wrangler: Wrangler,
  warn: (line: string) => void = console.warn,
): void {
  const place = [...(env ? ['--env', env] : []), ...(config ? ['--config', config] : [])];
  // The only way to read a configuration with named environments; wrangler has no stable function for it.
  const settings = unstable_readConfig(
    { config: config ?? join(root, 'wrangler.toml'), env },
    { hideWarnings: true },
  );
  demandVariables(settings.vars);
  demandMigrations(settings.d1_databases);
  if (isPlaceholder(String(settings.vars.MAIL_FROM))) {
    warn('MAIL_FROM is still an example: until it is an address of yours, nobody can sign in.');
  }
  wrangler(['deploy', '--dry-run', ...place], 'shown');
  if (isDryRun) return;
  const required = settings.secrets?.required ?? [];
  const optional = settings.vars.TURNSTILE_SITE_KEY ? ['TURNSTILE_SECRET_KEY'] : [];
  demandSecrets([...required, ...optional], () =>
    wrangler(['secret', 'list', '--format', 'json', ...place], 'read'),
  );
  // Migrations come first, because they only add: the Worker that is still running works with the new tables.
  wrangler(['d1', 'migrations', 'apply', 'DB', '--remote', ...place], 'shown');
  // Wrangler asks for confirmation, and exits with status 0 even if the answer was no, so check that none is left.
  const left = wrangler(['d1', 'migrations', 'list', 'DB', '--remote', ...place], 'read');
  if (!left.includes('No migrations to apply')) {
    throw new Error('Stopped: the database lacks migrations that this version needs.');
  }
  wrangler(['deploy', ...place], 'shown');
}

/**
 * Checks the variables now, because the Worker would not start with invalid ones, which would be noticed only after the
 * database was changed.
 */
function demandVariables(vars: Readonly<Record<string, unknown>>): void {
  const anySecret = Buffer.alloc(32).toString('base64');
  const anyVersion = `1:${anySecret}`;
  const secrets = { CODE_SECRET: anySecret, KEY_SECRETS: anyVersion, TOKEN_SECRETS: anyVersion };
  // Secrets are checked separately; placeholders stand in for them, so that the variables can be checked now.
  const turnstile = vars.TURNSTILE_SITE_KEY ? { TURNSTILE_SECRET_KEY: 'put-as-a-secret' } : {};
  readConfig({ ...vars, ...secrets, ...turnstile });
}

/**
 * With the pattern from before migrations were numbered, wrangler would find no migrations, and report that none are
 * left.
 */
function demandMigrations(databases: readonly { migrations_pattern?: string }[]): void {
  if (databases.every(({ migrations_pattern }) => migrations_pattern === undefined)) return;
  throw new Error(
    'Stopped: take migrations_pattern, and migrations_dir = ".", out of the configuration.',
  );
}

const secretList = z.array(z.object({ name: z.string() }));

/** Checks the names only: the Worker checks the values when it starts. */
function demandSecrets(required: readonly string[], list: () => string): void {
  const names = secretList.parse(JSON.parse(listSecrets(list))).map(({ name }) => name);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new Error(`Stopped: put ${missing.join(' and ')} with "wrangler secret put" first.`);
  }
}

function listSecrets(list: () => string): string {
  try {
    return list();
  } catch (cause) {
    // Wrangler's own advice, to deploy first, would leave a Worker that does not start.
    throw new Error(
      `${(cause as Error).message}\nIf there is no such Worker yet, put its secrets first: that makes it.`,
      { cause },
    );
  }
}

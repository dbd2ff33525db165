import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { z } from 'zod';
import { readConfig } from '../../src/config.ts';
import { demandAllOptions } from './options.ts';
import { root } from './root.ts';

/** What a deploy is given. */
export interface DeployOptions {
  readonly isDryRun: boolean;
  readonly env?: string | undefined;
  /** The configuration file, if it is another than wrangler.toml. */
  readonly config?: string | undefined;
}

/**
 * Runs wrangler with these arguments; its output, where that is to be read.
 * @throws Error when it fails
 */
export type Wrangler = (args: readonly string[], output: 'shown' | 'read') => string;

/**
 * Reads the options of the command line.
 * @throws Error for anything else: what was meant as a dry run must not deploy
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
 * The steps of a deploy, each only after the one before has succeeded.
 * @throws Error of the step that failed
 */
export function deploy(
  { isDryRun, env, config }: DeployOptions,
  wrangler: Wrangler,
  warn: (line: string) => void = console.warn,
): void {
  const place = [...(env ? ['--env', env] : []), ...(config ? ['--config', config] : [])];
  // the one way to read a configuration with its named environments; wrangler has no stable function for it
  const settings = unstable_readConfig(
    { config: config ?? join(root, 'wrangler.toml'), env },
    { hideWarnings: true },
  );
  demandVariables(settings.vars);
  demandMigrations(settings.d1_databases);
  if (isPlaceholder(settings.vars.MAIL_FROM)) {
    warn('MAIL_FROM is still an example: until it is an address of yours, nobody can sign in.');
  }
  wrangler(['deploy', '--dry-run', ...place], 'shown');
  if (isDryRun) return;
  const required = settings.secrets?.required ?? [];
  const optional = settings.vars.TURNSTILE_SITE_KEY ? ['TURNSTILE_SECRET_KEY'] : [];
  demandSecrets([...required, ...optional], () =>
    wrangler(['secret', 'list', '--format', 'json', ...place], 'read'),
  );
  // first, since migrations only add: the Worker that still serves goes on with the new tables
  wrangler(['d1', 'migrations', 'apply', 'DB', '--remote', ...place], 'shown');
  // that asks first, and ends with status 0 when the answer was no
  const left = wrangler(['d1', 'migrations', 'list', 'DB', '--remote', ...place], 'read');
  if (!left.includes('No migrations to apply')) {
    throw new Error('Stopped: the database lacks migrations that this version needs.');
  }
  wrangler(['deploy', ...place], 'shown');
}

/** The Worker would not start with them, and say so only after the database was changed. */
function demandVariables(vars: Readonly<Record<string, unknown>>): void {
  const anySecret = Buffer.alloc(32).toString('base64');
  const anyVersion = `1:${anySecret}`;
  const secrets = { CODE_SECRET: anySecret, KEY_SECRETS: anyVersion, TOKEN_SECRETS: anyVersion };
  // secrets are demanded apart: their places are taken by others, so that variables can be checked now
  const turnstile = vars.TURNSTILE_SITE_KEY ? { TURNSTILE_SECRET_KEY: 'put-as-a-secret' } : {};
  readConfig({ ...vars, ...secrets, ...turnstile });
}

/** Of the domains that are there for documentation (RFC 2606 §3). */
function isPlaceholder(address: unknown): boolean {
  return /@example\.(com|net|org)$/.test(String(address));
}

/** With the pattern that was there before they were numbered, wrangler would find none, and say that none is left. */
function demandMigrations(databases: readonly { migrations_pattern?: string }[]): void {
  if (databases.every(({ migrations_pattern }) => migrations_pattern === undefined)) return;
  throw new Error(
    'Stopped: take migrations_pattern, and migrations_dir = ".", out of the configuration.',
  );
}

const secretList = z.array(z.object({ name: z.string() }));

/** Names alone: whether the values are well formed is seen by the Worker when it starts. */
function demandSecrets(required: readonly string[], list: () => string): void {
  const names = secretList.parse(JSON.parse(listed(list))).map(({ name }) => name);
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new Error(`Stopped: put ${missing.join(' and ')} with "wrangler secret put" first.`);
  }
}

function listed(list: () => string): string {
  try {
    return list();
  } catch (cause) {
    // wrangler's own advice, to deploy first, would leave a Worker that does not start
    throw new Error(
      `${(cause as Error).message}\nIf there is no such Worker yet, put its secrets first: that makes it.`,
      { cause },
    );
  }
}

import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { experimental_readRawConfig, type Unstable_RawConfig } from 'wrangler';
import { root } from './root.ts';

const makers: Readonly<Record<string, () => string>> = {
  CODE_SECRET: secret,
  KEY_SECRETS: () => `1:${secret()}`,
  TOKEN_SECRETS: () => `1:${secret()}`,
};

/** Makes `.dev.vars`, the secrets of the local service, or adds those that it lacks. */
export function ensureDevVars(): void {
  const file = join(root, '.dev.vars');
  if (!existsSync(file)) {
    const title = '# Secrets of the local service, made at random. A deployment has its own.\n';
    writeFileSync(file, title, { mode: 0o600 });
  }
  const lacking = lackingSecrets(readFileSync(file, 'utf8'));
  if (lacking !== '') appendFileSync(file, lacking);
}

/** What has to be appended to a `.dev.vars` for it to have all required secrets. */
export function lackingSecrets(present: string): string {
  const names = Object.keys(parseEnv(present));
  const lines = Object.entries(makers)
    .filter(([name]) => !names.includes(name))
    .map(([name, make]) => `${name}="${make()}"\n`);
  if (lines.length === 0) return '';
  const endsMidLine = present !== '' && !present.endsWith('\n');
  return [endsMidLine ? '\n' : '', ...lines].join('');
}

/** Secrets that a service can do without. */
const optional = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'TURNSTILE_SECRET_KEY'];

/** What `.dev.vars` says. */
export function presentVars(): NodeJS.Dict<string> {
  return parseEnv(readFileSync(join(root, '.dev.vars'), 'utf8'));
}

/** The names of the optional secrets that `.dev.vars` has. */
export function optionalSecrets(): string[] {
  const present = presentVars();
  return optional.filter((name) => present[name]);
}

function secret(): string {
  return randomBytes(32).toString('base64');
}

const file = join(root, 'wrangler.toml');
/** Beside the other, since its paths are relative, and since `.dev.vars` is looked for beside it. */
const withSecrets = join(root, 'wrangler.local.json');
const forCommands = join(root, 'wrangler.commands.json');

/**
 * The configuration to run locally with: wrangler.toml, or a copy that requires
 * these secrets too. Wrangler takes no others from `.dev.vars`, and as `--var`
 * they would stand in the list of processes for everyone to see.
 */
export function localConfig(secrets: readonly string[]): string {
  if (secrets.length === 0) return file;
  const { rawConfig } = experimental_readRawConfig({ config: file });
  return written(withSecrets, requiring(rawConfig, secrets));
}

/**
 * The path of a configuration for commands, which open the bindings in their own process: a Durable Object lives in the
 * service alone, and cannot be opened.
 */
export function commandConfig(): string {
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const { durable_objects: _, migrations: __, ...config } = rawConfig;
  return written(forCommands, config);
}

function written(path: string, config: Unstable_RawConfig): string {
  const text = JSON.stringify(config, null, 2);
  // a running service watches the file, and other commands may read it
  const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (present === text) return path;
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, path);
  return path;
}

/** A configuration that requires these secrets too. */
export function requiring(
  config: Unstable_RawConfig,
  secrets: readonly string[],
): Unstable_RawConfig {
  return { ...config, secrets: { required: [...(config.secrets?.required ?? []), ...secrets] } };
}

import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { experimental_readRawConfig, type Unstable_RawConfig } from 'wrangler';
import { secretMakers } from '../../src/node/storage/secrets.ts';
import { root } from './root.ts';

/** Creates `.dev.vars` with the secrets of the local service, or adds those that are missing. */
export function ensureDevVars(): void {
  const file = join(root, '.dev.vars');
  if (!existsSync(file)) {
    const title = '# Secrets of the local service, made at random. A deployment has its own.\n';
    writeFileSync(file, title, { mode: 0o600 });
  }
  const lacking = lackingSecrets(readFileSync(file, 'utf8'));
  if (lacking !== '') appendFileSync(file, lacking);
}

/** The lines to append to a `.dev.vars` so that it has all required secrets. */
export function lackingSecrets(present: string): string {
  const names = Object.keys(parseEnv(present));
  const lines = Object.entries(secretMakers)
    .filter(([name]) => !names.includes(name))
    .map(([name, make]) => `${name}="${make()}"\n`);
  if (lines.length === 0) return '';
  const endsMidLine = present !== '' && !present.endsWith('\n');
  return [endsMidLine ? '\n' : '', ...lines].join('');
}

/** Secrets that the service works without. */
const optional = [
  'METRICS_TOKEN',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'TURNSTILE_SECRET_KEY',
];

/** The variables in `.dev.vars`. */
export function presentVars(): NodeJS.Dict<string> {
  return parseEnv(readFileSync(join(root, '.dev.vars'), 'utf8'));
}

/** The names of the optional secrets that `.dev.vars` has. */
export function optionalSecrets(): string[] {
  const present = presentVars();
  return optional.filter((name) => present[name]);
}

const file = join(root, 'wrangler.toml');
/** In the same folder as wrangler.toml, because paths are relative to it, and `.dev.vars` is looked up next to it. */
const withSecrets = join(root, 'wrangler.local.json');
const forCommands = join(root, 'wrangler.commands.json');

/**
 * Path of the configuration for running locally: wrangler.toml, or a copy that also requires these secrets. Wrangler
 * takes no other secrets from `.dev.vars`, and passed as `--var` they would be visible in the list of processes.
 */
export function localConfig(secrets: readonly string[]): string {
  if (secrets.length === 0) return file;
  const { rawConfig } = experimental_readRawConfig({ config: file });
  return writeIfChanged(withSecrets, requiring(rawConfig, secrets));
}

/**
 * Path of a configuration for commands, which open the bindings in their own process. It has no Durable Objects,
 * because these exist only in the service and cannot be opened.
 */
export function commandConfig(): string {
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const { durable_objects: _, migrations: __, ...config } = rawConfig;
  return writeIfChanged(forCommands, config);
}

function writeIfChanged(path: string, config: Unstable_RawConfig): string {
  const text = JSON.stringify(config, null, 2);
  // A running service watches the file, and other commands may be reading it, so it is replaced atomically, and only if
  // it has changed.
  const present = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (present === text) return path;
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text);
  renameSync(part, path);
  return path;
}

/** The configuration with these secrets required as well. */
export function requiring(
  config: Unstable_RawConfig,
  secrets: readonly string[],
): Unstable_RawConfig {
  return { ...config, secrets: { required: [...(config.secrets?.required ?? []), ...secrets] } };
}

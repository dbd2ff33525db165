import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { root } from './root.ts';

const makers: Readonly<Record<string, () => string>> = {
  CODE_SECRET: secret,
  KEY_SECRETS: () => `1:${secret()}`,
};

/** Makes `.dev.vars`, the secrets of the local service, or adds those that it lacks. */
export function ensureDevVars(): void {
  const file = join(root, '.dev.vars');
  if (!existsSync(file)) {
    const title = '# Secrets of the local service, made at random. A deployment has its own.\n';
    writeFileSync(file, title, { mode: 0o600 });
  }
  const present = readFileSync(file, 'utf8');
  for (const [name, make] of Object.entries(makers)) {
    if (new RegExp(`^${name}=`, 'm').test(present)) continue;
    appendFileSync(file, `${name}="${make()}"\n`);
  }
}

/** Secrets that a service can do without; wrangler reads none from `.dev.vars` but the required ones. */
const optional = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'];

/** Those of the optional secrets that `.dev.vars` has. */
export function optionalSecrets(): Record<string, string> {
  const present = parseEnv(readFileSync(join(root, '.dev.vars'), 'utf8'));
  return Object.fromEntries(
    optional.flatMap((name) => {
      const value = present[name];
      return value ? [[name, value]] : [];
    }),
  );
}

function secret(): string {
  return randomBytes(32).toString('base64');
}

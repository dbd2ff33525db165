import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

function secret(): string {
  return randomBytes(32).toString('base64');
}

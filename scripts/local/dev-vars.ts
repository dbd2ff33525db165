import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.ts';

/** Makes `.dev.vars`, the secrets of the local service, when there is none yet. */
export function ensureDevVars(): void {
  const file = join(root, '.dev.vars');
  if (existsSync(file)) return;
  const lines = [
    '# Secrets of the local service, made at random. A deployment has its own.',
    `KEY_SECRETS="1:${randomBytes(32).toString('base64')}"`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../package.json');
const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly name: string;
  readonly version: string;
};

/** Under which name this is published, and which version it is: package.json alone says so. */
export const identity = { name, version } as const;

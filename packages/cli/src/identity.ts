import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(import.meta.dirname, '../package.json');
const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly name: string;
  readonly version: string;
};

/** Name and version of the package, from package.json. */
export const identity = { name, version } as const;

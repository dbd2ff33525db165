/**
 * `npm run demo [-- files…]`: demonstrates the service from end to end. Starts a service with its own data, creates a
 * key, optimizes the files (or the sample pictures) in three formats, writes the results to `demo-output/`, and stops.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join, relative } from 'node:path';
import { changeText, sizeText } from '../src/cabinet/text/formatting.ts';
import { sampleFiles } from '../test/support/pictures.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { withOwnService } from './local/service.ts';

const formats = ['keep', 'webp', 'avif'] as const;

const given = process.argv.slice(2);
const files = given.length > 0 ? given : sampleFiles;
const output = join(root, 'demo-output');
await mkdir(output, { recursive: true });
await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'demo@example.com'));
  print(['file', 'format', 'before', 'after', 'change', 'time']);
  for (const file of files) {
    for (const format of formats) print(await optimize(origin, key, file, format));
  }
});
console.log(`\nThe pictures are in ${relative(process.cwd(), output) || '.'}/`);

/** Optimizes a file and returns a row of the table. */
async function optimize(
  origin: string,
  key: string,
  file: string,
  format: string,
): Promise<string[]> {
  const body = await readFile(file);
  const name = basename(file);
  const started = performance.now();
  const response = await fetch(`${origin}/v1/optimize?format=${format}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body,
  });
  const answer = Buffer.from(await response.arrayBuffer());
  const time = `${Math.round(performance.now() - started)} ms`;
  const before = sizeText(body.length);
  if (!response.ok) {
    const { code } = JSON.parse(answer.toString()) as { code: string };
    return [name, format, before, code, '', time];
  }
  const type = response.headers.get('Content-Type')?.replace('image/', '') ?? '';
  const stem = basename(name, extname(name));
  await writeFile(join(output, `${stem}-${format}.${type.replace('jpeg', 'jpg')}`), answer);
  const change = changeText(body.length, answer.length);
  return [name, format, before, sizeText(answer.length), change, time];
}

function print(row: string[]): void {
  const [file = '', ...rest] = row;
  console.log(file.padEnd(24).slice(0, 36) + rest.map((cell) => cell.padStart(12)).join(''));
}

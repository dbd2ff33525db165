import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { samples } from '../../test/support/samples/samples.ts';
import { root } from './root.ts';

/** Puts the sample pictures into `samples/`, for people to try things on; paths relative to here. */
export async function writeSamples(): Promise<readonly string[]> {
  const folder = join(root, 'samples');
  await mkdir(folder, { recursive: true });
  return Promise.all(
    samples.map(async ({ name, render }) => {
      const file = join(folder, name);
      await writeFile(file, await render());
      return relative(process.cwd(), file);
    }),
  );
}

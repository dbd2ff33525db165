/**
 * `npm run target-pictures`: makes the documentation's pictures of the named targets. Has the service optimize the
 * front page's photo (for its source, see scripts/landing-pictures.ts) to each target, crops the same part of the
 * original and of each result, and records scores and sizes. `npm run docs` then inserts these into docs/fidelity.md.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { scoredResult, withOwnService } from './local/service.ts';

const target = join(root, 'docs/pictures');
const original = await readFile(join(root, 'src/cabinet/public/before.jpg'));

/** A bird's face with fine lines, feathers and saturated red, in pixels of the photo. */
const part = { left: 440, top: 130, width: 296, height: 140 };

/** Scale of the crop; every pixel becomes a square, so that nothing is smoothed. */
const scale = 2;

await mkdir(target, { recursive: true });
await writeCut('original', original);
await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'pictures@example.com'));
  const targets = [];
  for (const name of ['high', 'medium', 'low']) {
    const { file, score } = await scoredResult(
      `${origin}/v1/optimize?target=${name}`,
      key,
      original,
    );
    await writeCut(name, file);
    targets.push({ name, score, bytes: file.length });
  }
  const figures = { original: { bytes: original.length }, targets };
  await writeFile(join(target, 'targets.json'), `${JSON.stringify(figures, null, 2)}\n`);
  console.log(figures);
});

async function writeCut(name: string, file: Buffer): Promise<void> {
  const cut = sharp(file)
    .extract(part)
    .resize({ width: scale * part.width, kernel: 'nearest' })
    .webp({ lossless: true, effort: 6 });
  await writeFile(join(target, `target-${name}.webp`), await cut.toBuffer());
}

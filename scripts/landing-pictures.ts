/**
 * `npm run landing-pictures`: makes the two pictures of the front page: a
 * sample photo as a camera would store it, and what the service gives back.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { withBindings } from './local/bindings.ts';
import { freePort } from './local/free-port.ts';
import { makeLocalKey } from './local/key.ts';
import { root } from './local/root.ts';
import { writeSamples } from './local/sample-files.ts';
import { startService } from './local/service.ts';

const target = join(root, 'src/cabinet/public');
/** What the page says about them. */
const figuresFile = join(root, 'src/cabinet/pages/landing-figures.json');

const photo = (await writeSamples()).find((file) => file.endsWith('photo.jpg'));
if (photo === undefined) throw new Error('There is no sample photo.');
const before = await sharp(await readFile(photo))
  .resize(1080)
  .jpeg({ quality: 95, chromaSubsampling: '4:2:0' })
  .toBuffer();
await writeFile(join(target, 'before.jpg'), before);

const stateDirectory = await mkdtemp(join(tmpdir(), 'image-optimization-pictures-'));
try {
  const service = await startService({ port: await freePort(), stateDirectory, verbose: false });
  try {
    const key = await withBindings(stateDirectory, (env) => makeLocalKey(env, 'demo@example.com'));
    const response = await fetch(`${service.origin}/v1/optimize`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: Uint8Array.from(before),
    });
    if (!response.ok) throw new Error(await response.text());
    const after = Buffer.from(await response.arrayBuffer());
    await writeFile(join(target, 'after.jpg'), after);
    const { width, height } = await sharp(before).metadata();
    const figures = { width, height, before: before.length, after: after.length };
    await writeFile(figuresFile, `${JSON.stringify(figures)}\n`);
    console.log(figures);
  } finally {
    await service.stop();
  }
} finally {
  await rm(stateDirectory, { recursive: true, force: true });
}

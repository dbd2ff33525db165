/**
 * `npm run landing-pictures`: makes the two pictures of the front page: a
 * sample photo as a camera would store it, and what the service gives back.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../test/support/pictures.ts';
import { makeLocalKey } from './local/database.ts';
import { root } from './local/root.ts';
import { optimized, withOwnService } from './local/service.ts';

const target = join(root, 'src/cabinet/public');
/** What the page says about them. */
const figuresFile = join(root, 'src/cabinet/pages/landing-figures.json');

const before = await sharp(await sample('photo.jpg'))
  .resize(1080)
  .jpeg({ quality: 95, chromaSubsampling: '4:2:0' })
  .toBuffer();
await writeFile(join(target, 'before.jpg'), before);

await withOwnService(async ({ origin, bindings }) => {
  const key = await bindings((env) => makeLocalKey(env, 'demo@example.com'));
  const after = await optimized(`${origin}/v1/optimize`, key, before);
  await writeFile(join(target, 'after.jpg'), after);
  const { width, height } = await sharp(before).metadata();
  const figures = { width, height, before: before.length, after: after.length };
  await writeFile(figuresFile, `${JSON.stringify(figures, null, 2)}\n`);
  console.log(figures);
});

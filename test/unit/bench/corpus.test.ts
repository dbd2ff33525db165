import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCorpus } from '../../../bench/harness/corpus.ts';
import type { Corpus, CorpusFile } from '../../../bench/harness/section.ts';
import { movingBall } from '../../support/animations/moving-ball.ts';
import { plainPicture } from '../../support/pictures.ts';

/** More colors than any drawing has. */
function manyColours(width: number, height: number, channels: 3 | 4) {
  const data = Buffer.alloc(width * height * channels, 255);
  for (let i = 0; i < width * height; i += 1)
    data.writeUIntBE((i * 40_503) % 2 ** 24, i * channels, 3);
  return sharp(data, { raw: { width, height, channels } });
}

describe('the corpus of a folder', () => {
  let folder: string;
  let corpus: Corpus;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'corpus-'));
    await mkdir(join(folder, 'deeper'));
    const files: Record<string, Promise<Uint8Array>> = {
      'a-smaller.jpg': plainPicture(1200, 900).jpeg().toBuffer(),
      'deeper/larger.jpg': plainPicture(1400, 1000).jpeg().toBuffer(),
      'small.jpg': plainPicture(800, 600).jpeg().toBuffer(),
      'grey.jpg': plainPicture(1200, 900).toColourspace('b-w').jpeg().toBuffer(),
      'photo.png': manyColours(256, 128, 3).png().toBuffer(),
      'opaque-alpha.png': manyColours(256, 128, 4).png().toBuffer(),
      'drawing.png': plainPicture(64, 64).png({ palette: true, colours: 16 }).toBuffer(),
      'glass.png': plainPicture(64, 64).ensureAlpha(0.5).png().toBuffer(),
      'tiny.png': plainPicture(63, 64).png().toBuffer(),
      'deep.png': plainPicture(80, 80).toColourspace('rgb16').png().toBuffer(),
      'picture.webp': plainPicture(80, 80).webp().toBuffer(),
      'broken.png': plainPicture(80, 80)
        .png()
        .toBuffer()
        .then((file) => file.subarray(0, -600)),
      'ball.webp': movingBall('webp').then(({ file }) => file),
      'ball.gif': movingBall('gif').then(({ file }) => file),
      'still.gif': movingBall('gif', { durations: [100] }).then(({ file }) => file),
      'words.png': Promise.resolve(new TextEncoder().encode('no picture')),
    };
    for (const [name, bytes] of Object.entries(files)) {
      await writeFile(join(folder, name), await bytes);
    }
    corpus = await loadCorpus(folder);
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  const names = (files: readonly CorpusFile[]) => files.map(({ name }) => name);

  it('has JPEGs of a megapixel in colour as camera photos, the largest first', () => {
    expect(names(corpus.photos)).toEqual(['deeper/larger.jpg', 'a-smaller.jpg']);
  });

  it('takes opaque PNGs of very many colours for photos, an idle alpha channel notwithstanding', () => {
    expect(names(corpus.exactPhotos)).toEqual(['opaque-alpha.png', 'photo.png']);
  });

  it('has other opaque PNGs as graphics, and those that can be seen through by themselves', () => {
    expect(names(corpus.graphics)).toEqual(['drawing.png']);
    expect(names(corpus.translucent)).toEqual(['glass.png']);
  });

  it('has GIFs of any number of frames and what moves in other formats by themselves', () => {
    expect(names(corpus.animations)).toEqual(['ball.gif', 'ball.webp', 'still.gif']);
  });

  it('is called after the folder, nothing standing in', () => {
    expect(folder.endsWith(corpus.name)).toBe(true);
  });

  it('has samples in place of what is missing, and says so', {
    tags: 'slow',
  }, async () => {
    const { name, photos, graphics } = await loadCorpus(join(folder, 'deeper'));
    expect(name).toBe(
      'deeper (samples stand in for exactPhotos, graphics, translucent, animations)',
    );
    expect(names(photos)).toEqual(['larger.jpg']);
    expect(names(graphics)).toEqual(['interface.png', 'interface, 16 colours']);
  }); // samples are drawn once, which takes a while
});

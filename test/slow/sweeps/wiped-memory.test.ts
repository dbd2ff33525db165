import { describe, expect, it } from 'vitest';
import { ImageError, type OptimizeOptions } from '../../../src/image/engine.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { answerTo } from '../../support/engine.ts';
import { plainPicture } from '../../support/pictures.ts';

/** How far from its end the arena is zeros, in bytes: what is left when it is wiped. */
function firstClean(): number {
  const words = new Uint32Array(arena.memory.buffer);
  return 4 * (words.findLastIndex((word) => word !== 0) + 1);
}

describe('the arena', () => {
  it('is zeros everywhere when it is wiped, whatever has run in it', async () => {
    const picture = plainPicture(220, 140);
    const files = {
      jpeg: await picture.clone().jpeg({ quality: 95 }).toBuffer(),
      progressive: await picture.clone().jpeg({ quality: 95, progressive: true }).toBuffer(),
      png: await picture.clone().png({ compressionLevel: 1 }).toBuffer(),
      alpha: await picture.clone().ensureAlpha(0.5).png().toBuffer(),
      webp: await picture.clone().webp().toBuffer(),
      avif: await picture.clone().avif().toBuffer(),
    };
    const options: Partial<OptimizeOptions>[] = [
      {},
      { quality: 'lossless' },
      { quality: 40 },
      { metadata: 'all' },
      { width: 60 },
      ...(['jpeg', 'png', 'webp', 'avif'] as const).map((format) => ({ format })),
    ];
    let results = 0;
    for (const [name, buffer] of Object.entries(files)) {
      for (const option of options) {
        const broken = Uint8Array.from(buffer);
        broken.fill(0xff, broken.length - 300, broken.length - 100);
        for (const file of [Uint8Array.from(buffer), broken]) {
          if (!(answerTo(file, option) instanceof ImageError)) results += 1;
          arena.wipe();
          expect(firstClean(), `${name} ${JSON.stringify(option)}`).toBe(0);
        }
      }
    }
    expect(results).toBeGreaterThan(40);
  });

  it('is zeros also where something was put together after a run that had written less', () => {
    arena.wipe();
    arena.writtenUpTo(100);
    arena.firstBytes(5000).fill(1);
    arena.wipe();
    expect(firstClean()).toBe(0);
    arena.writtenUpTo(5000);
    arena.firstBytes(100).fill(1);
    arena.firstBytes(5000).fill(1);
    arena.wipe();
    expect(firstClean()).toBe(0);
  });
});

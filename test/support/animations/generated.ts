import { Random } from '../random.ts';
import type { GeneratedAnimation } from './content.ts';
import { generatedApng } from './generated-apng.ts';
import { generatedGif } from './generated-gif.ts';
import { generatedWebp } from './generated-webp.ts';

/**
 * Animations of all three formats in rotation, covering all properties of frames: regions, disposals, blending,
 * palettes, durations, number of plays, transparency. The sequence of a seed is always the same.
 */
export async function generatedAnimations(count = 300, seed = 1): Promise<GeneratedAnimation[]> {
  const random = new Random(seed);
  const all: GeneratedAnimation[] = [];
  for (let i = 0; i < count; i++) {
    const make = [generatedGif, generatedApng, generatedWebp][i % 3] ?? generatedGif;
    const animation = await make(random);
    const { width, height, plays, pictures } = animation.timeline;
    const shape = `${width} × ${height}, ${pictures.length} frames, plays ${plays}`;
    all.push({ ...animation, name: `#${i} of seed ${seed}: ${animation.name}, ${shape}` });
  }
  return all;
}

import { describe, expect, it } from 'vitest';
import { momentsOf, shownAt } from '../../../../bench/animations/moments.ts';
import { animationIn } from '../../../support/animations/judges.ts';
import { movingBall } from '../../../support/animations/moving-ball.ts';

describe('the moments at which an animation is looked at', () => {
  it('are in the middle of frames, spread evenly over a play, no two in the same one', async () => {
    const durations = [100, 1000, 100];
    const { file } = await movingBall('gif', { durations });
    expect(momentsOf(await animationIn('gif', file))).toEqual([50, 600, 1150]);
  });

  it('are twelve of many frames', async () => {
    const durations = Array.from({ length: 24 }, () => 40);
    const { file } = await movingBall('gif', { durations });
    const moments = momentsOf(await animationIn('gif', file));
    expect(moments).toEqual(Array.from({ length: 12 }, (_, i) => 80 * i + 60));
  });

  it('count frames of no duration as browsers show them', async () => {
    const { file } = await movingBall('gif', { durations: [0, 10, 20] });
    expect(momentsOf(await animationIn('gif', file))).toEqual([50, 150, 210]);
  });
});

describe('what an animation shows', () => {
  it.each(['gif', 'png', 'webp'] as const)('is found at any moment of a %s', async (type) => {
    const { file, timeline } = await movingBall(type, { durations: [100, 50, 200, 100] });
    const shown = await shownAt(type, file, [10, 120, 140, 400, 1000]);
    const pictures = [0, 1, 1, 3, 3].map((i) => timeline.pictures[i]?.pixels);
    expect(shown.map(({ data }) => Buffer.from(data))).toEqual(pictures);
  });

  it('stands on mid grey where it is transparent', async () => {
    const { file } = await movingBall('gif', { isTransparent: true });
    const [first] = await shownAt('gif', file, [0]);
    expect([...(first?.data.subarray(0, 4) ?? [])]).toEqual([128, 128, 128, 255]);
  });
});

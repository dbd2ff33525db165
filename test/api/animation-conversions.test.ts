import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApng, pngColor } from '../support/animations/apng-maker.ts';
import { timelineOf } from '../support/animations/judges.ts';
import { movingBall } from '../support/animations/moving-ball.ts';
import { optimizedAnimation } from '../support/animations/optimized.ts';
import {
  type AnimationType,
  type Timeline,
  timelineDifference,
} from '../support/animations/timeline.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { isFull } from '../support/full.ts';
import { chunk } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const corpus = process.env.CORPUS ?? '';
const moving = ['gif', 'png', 'webp'] as const;
const pairs = moving.flatMap((from) => moving.map((to) => [from, to] as const));

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const optimized = (file: Uint8Array<ArrayBuffer>, query: string) =>
  optimizedAnimation(service, file, query);

const ends = ({ pictures }: Timeline) => pictures.map(({ end }) => Math.round(end));

describe('from one format to another', () => {
  itForEach(pairs, 'a %s as %s shows the same at each instant', async (from, to) => {
    for (const isTransparent of [false, true]) {
      const ball = await movingBall(from, { isTransparent });
      // A GIF cannot hold everything that other formats can; this one can.
      const quality = to === 'gif' && from !== 'gif' ? '100' : 'lossless';
      const result = await optimized(ball.file, `?format=${to}&quality=${quality}`);
      expect(result.headers.get('Content-Type')).toBe(`image/${to}`);
      expect(result.headers.get('Image-Frames')).toBe('12');
      expect(timelineDifference(result.timeline, ball.timeline)).toBeNull();
    }
  });

  it.each(pairs)('a %s as %s looks alike by default', { tags: 'slow' }, async (from, to) => {
    const ball = await movingBall(from, { plays: 0 });
    const { timeline } = await optimized(ball.file, `?format=${to}`);
    expect(timelineDifference(timeline, ball.timeline, { tolerance: 40 })).toBeNull();
  });

  it('the ends of frames are rounded, not their durations', { tags: 'slow' }, async () => {
    const { timeline, file } = await movingBall('png', {
      durations: [10, 10, 10, 10, 10, 10],
      png: {},
    });
    expect(timeline.pictures).toHaveLength(6);
    // The denominators of all frames, from 1000 to 300: thirtieths of a second.
    const thirds = withDelays(file, [10, 300]);
    const gif = await optimized(thirds, '?format=gif');
    expect(ends(gif.timeline)).toEqual([30, 70, 100, 130, 170, 200]);
    const webp = await optimized(thirds, '?format=webp&quality=lossless');
    expect(ends(webp.timeline)).toEqual([33, 67, 100, 133, 167, 200]);
    const png = await optimized(thirds, '?quality=lossless');
    expect(png.timeline.pictures.map(({ end }) => end.toFixed(3))).toEqual(
      [1, 2, 3, 4, 5, 6].map((i) => ((100 * i) / 3).toFixed(3)),
    );
  });

  it('partial transparency becomes all or none in a GIF, which is not made without loss', async () => {
    const size = { width: 16, height: 16 };
    const frame = (alpha: number) => ({
      region: { left: 0, top: 0, ...size },
      samples: Uint16Array.from({ length: 4 * 256 }, (_, i) => (i % 4 === 3 ? alpha : 200)),
      delay: [1, 10] as const,
    });
    const content = { ...size, color: pngColor.rgba, depth: 8, plays: 0 } as const;
    const file = Uint8Array.from(makeApng({ ...content, frames: [frame(200), frame(90)] }));
    const { timeline } = await optimized(file, '?format=gif');
    expect(timeline.pictures.map(({ pixels }) => pixels[3])).toEqual([255, 0]);
    const response = await service.optimize(file, '?format=gif&quality=lossless');
    const { detail } = await expectProblem(response, 'invalid_options');
    expect(detail).toContain('leave quality=lossless away');
  });
});

/** An APNG with a different duration for every frame. */
function withDelays(
  file: Uint8Array,
  [numerator, denominator]: readonly [number, number],
): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [Buffer.from(file.subarray(0, 8))];
  const bytes = Buffer.from(file);
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const data = Buffer.from(bytes.subarray(at + 8, at + 8 + length));
    if (type === 'fcTL') {
      data.writeUInt16BE(numerator, 20);
      data.writeUInt16BE(denominator, 22);
    }
    parts.push(chunk(type, data));
    at += 12 + length;
  }
  return Uint8Array.from(Buffer.concat(parts));
}

/** Maximum size of files that are checked in every run: each of their frames is decoded separately. */
const longestBytes = 60_000;

describe.runIf(corpus)('animations out there', { tags: 'slow' }, () => {
  it.each(moving)(
    'of %s show what they showed, in fewer bytes',
    async (type) => {
      const folder = join(corpus, type === 'png' ? 'apng' : type);
      for (const [turn, name] of readdirSync(folder).entries()) {
        const file = Uint8Array.from(readFileSync(join(folder, name)));
        if (file.length > longestBytes && !isFull) continue;
        const before = await timelineOf(type, file);
        const others = ['?format=auto', '?format=webp', '?width=32'];
        const inTurn = others.filter((_, i) => isFull || i === turn % others.length);
        for (const query of ['?quality=lossless', ...inTurn]) {
          const response = await service.optimize(file, query);
          const label = `${name} ${query}`;
          if (response.status !== 200) {
            expect([400, 413, 422], `${label} ${await response.text()}`).toContain(response.status);
            continue;
          }
          const body = await expectPicture(response);
          const made = response.headers.get('Content-Type')?.replace('image/', '') as AnimationType;
          if (!moving.includes(made)) continue;
          const after = await timelineOf(made, body);
          expect(after.pictures.at(-1)?.end, label).toBeCloseTo(
            before.pictures.at(-1)?.end ?? 0,
            0,
          );
          expect(after.plays, label).toBe(before.plays);
          if (query !== '?quality=lossless') continue;
          expect(timelineDifference(after, before), label).toBeNull();
          expect(body.length, label).toBeLessThanOrEqual(file.length);
        }
      }
    },
    600_000,
  );
});

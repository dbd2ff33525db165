import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApng, pngColor } from '../support/animations/apng-maker.ts';
import { timelineOf } from '../support/animations/judges.ts';
import { type MovingBall, movingBall } from '../support/animations/moving-ball.ts';
import { optimizedAnimation } from '../support/animations/optimized.ts';
import { sticker } from '../support/animations/soft-pictures.ts';
import { type Timeline, timelineDifference } from '../support/animations/timeline.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { asSequence, codedPicture } from '../unit/image/formats/avif/sequences.ts';

const moving = ['gif', 'png', 'webp'] as const;

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

const optimized = (file: Uint8Array<ArrayBuffer>, query: string) =>
  optimizedAnimation(service, file, query);

/** The RGBA pixels of a still image. */
function stillPixels(file: Buffer): Promise<Buffer> {
  return sharp(file).ensureAlpha().raw().toBuffer();
}

const ends = ({ pictures }: Timeline) => pictures.map(({ end }) => Math.round(end));

describe.each(moving)('an animated %s', (type) => {
  /** Of tests that take long for what they add to that of the first format. */
  const tagsOfMore = { tags: type === moving[0] ? [] : ['slow'] };
  let ball: MovingBall;
  beforeAll(async () => {
    ball = await movingBall(type);
  });

  it('gets smaller and shows the same at each instant, sample for sample, without loss', {
    tags: 'slow',
  }, async () => {
    const { headers, timeline } = await optimized(ball.file, '?quality=lossless');
    expect(timelineDifference(timeline, ball.timeline)).toBeNull();
    expect(headers.get('Content-Type')).toBe(`image/${type}`);
    expect(headers.get('Image-Input-Type')).toBe(`image/${type}`);
    expect(headers.get('Image-Frames')).toBe('12');
    expect(headers.get('Image-Quality')).toBe('lossless');
    expect(headers.get('Image-Optimized')).toBe('true');
  });

  it('gets smaller and looks alike by default', async () => {
    const { headers, timeline } = await optimized(ball.file, '');
    expect(timelineDifference(timeline, ball.timeline, { tolerance: 40 })).toBeNull();
    expect(headers.get('Image-Frames')).toBe('12');
    expect(headers.get('Image-Optimized')).toBe('true');
    expect(Number(headers.get('Image-Score'))).toBeGreaterThan(70);
  });

  it('keeps its delays, those of 0 and 10 ms too, and merges equal frames but those', async () => {
    const durations = [100, 100, 100, 10, 10, 0, 0, 200];
    const paused = await movingBall(type, { durations, moves: (i) => i === 1 || i > 6, plays: 0 });
    const { headers, timeline } = await optimized(paused.file, '?quality=lossless');
    expect(timelineDifference(timeline, paused.timeline)).toBeNull();
    expect(headers.get('Image-Frames')).toBe('8');
    // The second and third frame are merged.
    expect(ends(timeline)).toEqual([100, 300, 310, 320, 320, 320, 520]);
  });

  it('loses its metadata, or keeps what is asked for', tagsOfMore, async () => {
    const exif = exifBlock();
    const xmp = rights('Ada Lovelace');
    const tagged = await movingBall(type, {
      gif: { xmp, comment: 'Engine' },
      png: { before: [{ type: 'eXIf', data: exif }] },
      webp: { exif },
    });
    const words = async (query: string) => {
      const { body, timeline } = await optimized(tagged.file, query);
      expect(timelineDifference(timeline, ball.timeline)).toBeNull();
      return body.toString('latin1');
    };
    expect(await words('?quality=lossless')).not.toMatch(/Ada Lovelace|Engine/);
    expect(await words('?quality=lossless&metadata=copyright')).toMatch(
      /^(?!.*Engine).*Ada Lovelace/s,
    );
    const both = /Ada Lovelace.*Engine|Engine.*Ada Lovelace/s;
    expect(await words('?quality=lossless&metadata=all')).toMatch(both);
  });

  it('keeps or loses its metadata where its frames stay as they were, too', {
    tags: 'slow',
  }, async () => {
    const xmp = rights('Ada Lovelace');
    const tagged = await movingBall(type, {
      gif: { xmp, comment: 'Engine' },
      png: { before: [{ type: 'eXIf', data: exifBlock() }] },
      webp: { exif: exifBlock() },
    });
    const smallest = async (query: string) => {
      const { body } = await optimized(tagged.file, `?quality=lossless${query}`);
      const again = await optimized(Uint8Array.from(body), `?quality=lossless${query}`);
      expect(again.body.length).toBe(body.length);
      expect(again.headers.get('Image-Quality')).toMatch(/original|lossless/);
      return again.body.toString('latin1');
    };
    expect(await smallest('&metadata=all')).toMatch(/Engine/);
    expect(await smallest('&metadata=copyright')).toMatch(/^(?!.*Engine).*Ada Lovelace/s);
    expect(await smallest('')).not.toMatch(/Ada Lovelace|Engine/);
  });

  it('has its comments in every size, and in no other format', { tags: 'slow' }, async () => {
    if (type !== 'gif') return;
    const { file } = await movingBall('gif', { gif: { comment: 'Engine No 1' } });
    const has = async (query: string) => {
      const response = await service.optimize(file, query);
      return (await expectPicture(response)).includes('Engine No 1');
    };
    expect(await has('?metadata=all&width=48')).toBe(true);
    expect(await has('?metadata=all&quality=60')).toBe(true);
    expect(await has('?metadata=copyright&width=48')).toBe(false);
    expect(await has('?metadata=all&format=webp')).toBe(false);
  });

  it('is resized and cropped frame by frame', { tags: 'slow' }, async () => {
    const half = await optimized(ball.file, '?width=48');
    expect(half.timeline).toMatchObject({ width: 48, height: 32, plays: 3 });
    expect(ends(half.timeline)).toEqual(ends(ball.timeline));
    const square = await optimized(ball.file, '?width=40&height=40&fit=cover');
    expect(square.timeline).toMatchObject({ width: 40, height: 40, plays: 3 });
    for (const [i, { pixels }] of square.timeline.pictures.entries()) {
      const whole = ball.timeline.pictures[i]?.pixels ?? Buffer.of();
      const { data } = await sharp(whole, { raw: { width: 96, height: 64, channels: 4 } })
        .extract({ left: 16, top: 0, width: 64, height: 64 })
        .resize(40, 40)
        .raw()
        .toBuffer({ resolveWithObject: true });
      const distance = pixels.reduce(
        (sum, value, at) => sum + Math.abs(value - (data[at] ?? 0)),
        0,
      );
      expect(distance / pixels.length).toBeLessThan(12);
    }
  });

  it('fits into as many bytes as it may take, or is told how many it takes', {
    tags: 'slow',
  }, async () => {
    const photo = await movingBall(type, { width: 160, height: 120 });
    const { body } = await optimized(photo.file, '?target=90');
    const limit = Math.max(1000, Math.floor(0.9 * body.length));
    const response = await service.optimize(photo.file, `?max_bytes=${limit}`);
    if (response.status === 200) {
      const smaller = await expectPicture(response);
      expect(smaller.length).toBeLessThanOrEqual(limit);
      const { pictures } = await timelineOf(type, smaller);
      expect(pictures.at(-1)?.end).toBe(1200);
    } else {
      const { smallest_bytes } = await expectProblem(response, 'max_bytes_unreachable');
      expect(smallest_bytes).toBeGreaterThan(limit);
    }
    const { detail } = await expectProblem(
      await service.optimize(
        (await movingBall(type, { width: 300, height: 225 })).file,
        '?max_bytes=1000',
      ),
      'max_bytes_unreachable',
    );
    expect(detail).toMatch(/request a smaller width, another format or a larger max_bytes\.$/);
  });

  it('does not become a still image unless that is asked for', async () => {
    for (const format of ['jpeg', 'avif']) {
      const response = await service.optimize(ball.file, `?format=${format}`);
      const { detail } = await expectProblem(response, 'invalid_image');
      expect(detail).toContain(`cannot become ${format}`);
      expect(detail).toContain('animation=first');
    }
  });

  itForEach(
    ['keep', 'jpeg', 'png', 'webp', 'avif', 'auto'],
    'becomes its first frame as %s where that is asked for',
    async (format) => {
      const query = `?animation=first&format=${format}`;
      const response = await service.optimize(ball.file, query);
      const still = await expectPicture(response);
      expect(response.headers.get('Image-Frames')).toBe('12');
      expect((await sharp(still, { animated: true }).metadata()).pages ?? 1).toBe(1);
      const first = ball.timeline.pictures[0]?.pixels ?? Buffer.of();
      const pixels = await stillPixels(still);
      const distance = pixels.reduce((sum, value, i) => sum + Math.abs(value - (first[i] ?? 0)), 0);
      expect(distance / first.length).toBeLessThan(8);
    },
  );

  it('becomes its first frame exactly, and reduced', async () => {
    const exact = await service.optimize(ball.file, '?animation=first&format=png&quality=lossless');
    expect(await stillPixels(await expectPicture(exact))).toEqual(
      ball.timeline.pictures[0]?.pixels,
    );
    const small = await service.optimize(ball.file, '?animation=first&width=24');
    expect(small.headers.get('Image-Width')).toBe('24');
    expect(
      (await sharp(await expectPicture(small), { animated: true }).metadata()).pages ?? 1,
    ).toBe(1);
  });

  it('becomes its own format or a WebP by format=auto, as far as those can be shown', {
    tags: 'slow',
  }, async () => {
    const { headers } = await optimized(ball.file, '?format=auto');
    expect([`image/${type}`, 'image/webp']).toContain(headers.get('Content-Type'));
    const response = await service.optimize(ball.file, '?format=auto', {
      Accept: `image/${type}, image/avif`,
    });
    await expectPicture(response);
    expect(response.headers.get('Content-Type')).toBe(`image/${type}`);
  });

  it('with damage in its last frame is refused', async () => {
    const { file } = ball;
    const damaged = {
      gif: () => file.subarray(0, file.length - 40),
      png: () => file.with(file.length - 40, (file.at(-40) ?? 0) ^ 0x55),
      webp: () => file.with(file.length - 30, (file.at(-30) ?? 0) ^ 0xff),
    }[type]();
    for (const query of ['', '?quality=lossless', '?width=48']) {
      await expectProblem(await service.optimize(damaged.slice(), query), 'invalid_image');
    }
  });

  // Making ten thousand frames takes long.
  it('of too many frames, or too many pixels in all of them, is refused with what would fit', {
    tags: type === 'gif' ? [] : ['slow'],
  }, async () => {
    const many = Array.from({ length: 10_001 }, () => 50);
    const long = await movingBall(type, { width: 4, height: 4, durations: many });
    const problem = await expectProblem(await service.optimize(long.file), 'image_too_large');
    expect(problem).toMatchObject({ frames: 10_001, limit_frames: 10_000, width: 4, height: 4 });
    expect(problem.limit_pixels).toBe(Math.floor(500_000_000 / 10_001));
    expect(problem.detail).toContain('animation=first');
    await expectPicture(await service.optimize(long.file, '?animation=first&format=png'));
  });
});

/** A little-endian EXIF block with artist and software, as stored in files. */
function exifBlock(): Buffer {
  const texts = ['Ada Lovelace\0', 'Engine\0'] as const;
  const tags = [
    [0x013b, texts[0]],
    [0x0131, texts[1]],
  ] as const;
  const sorted = [...tags].sort(([one], [other]) => one - other);
  let at = 8 + 2 + 12 * sorted.length + 4;
  const head = Buffer.alloc(at);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(sorted.length, 8);
  for (const [i, [tag, text]] of sorted.entries()) {
    const entry = 10 + 12 * i;
    head.writeUInt16LE(tag, entry);
    head.writeUInt16LE(2, entry + 2);
    head.writeUInt32LE(text.length, entry + 4);
    head.writeUInt32LE(at, entry + 8);
    at += text.length;
  }
  return Buffer.concat([head, ...sorted.map(([, text]) => Buffer.from(text))]);
}

/** XMP that states the owner of a picture. */
function rights(name: string): string {
  return `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${name}</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
}

describe('an animation that stays what it is', () => {
  it('an APNG whose default image is no frame keeps that, and becomes something else without it', {
    tags: 'slow',
  }, async () => {
    const size = { width: 32, height: 24 };
    const samples = (value: number) => new Uint16Array(3 * size.width * size.height).fill(value);
    const file = Uint8Array.from(
      makeApng({
        ...{ ...size, color: pngColor.rgb, depth: 8, plays: 2, defaultImage: samples(1) },
        frames: [80, 160].map((value) => ({
          region: { left: 0, top: 0, ...size },
          samples: samples(value),
          delay: [1, 5],
        })),
        before: [{ type: 'tEXt', data: Buffer.from('Author\0Ada Lovelace '.repeat(20)) }],
      }),
    );
    for (const query of ['', '?quality=lossless']) {
      const { headers, body, timeline } = await optimized(file, query);
      expect(timelineDifference(timeline, await timelineOf('png', file))).toBeNull();
      expect(headers.get('Image-Frames')).toBe('2');
      expect(body.includes('Ada')).toBe(false);
      // Viewers without APNG support show the same image as before.
      expect((await stillPixels(body)).subarray(0, 4)).toEqual(Buffer.of(1, 1, 1, 255));
    }
    const small = await expectPicture(await service.optimize(file, '?width=16'));
    expect((await sharp(small).metadata()).width).toBe(16);
    expect((await stillPixels(small)).subarray(0, 4)).toEqual(Buffer.of(1, 1, 1, 255));
    for (const format of ['webp', 'gif'] as const) {
      const converted = await expectPicture(await service.optimize(file, `?format=${format}`));
      const { pictures } = await timelineOf(format, converted);
      expect(pictures).toHaveLength(2);
      expect(pictures[0]?.pixels[0]).toBeGreaterThan(70);
    }
    const first = await service.optimize(file, '?animation=first&format=png');
    const pixels = await stillPixels(await expectPicture(first));
    expect(pixels.subarray(0, 4)).toEqual(Buffer.of(80, 80, 80, 255));
  });

  it('an APNG of 16 bits comes back unchanged where nothing may be lost', {
    tags: 'slow',
  }, async () => {
    const size = { width: 32, height: 24 };
    const file = Uint8Array.from(
      makeApng({
        ...{ ...size, color: pngColor.rgb, depth: 16, plays: 0 },
        frames: [1, 2, 3].map((n) => ({
          region: { left: 0, top: 0, ...size },
          samples: Uint16Array.from({ length: 3 * 32 * 24 }, (_, i) => (i * 97 * n) & 0xffff),
          delay: [1, 5],
        })),
      }),
    );
    const { headers, body } = await optimized(file, '?quality=lossless');
    expect(headers.get('Image-Quality')).toBe('original');
    expect(body.length).toBe(file.length);
    const response = await service.optimize(file, '?quality=lossless&format=webp');
    await expectProblem(response, 'invalid_options');
    const smaller = await optimized(file, '');
    expect(smaller.timeline.pictures).toHaveLength(3);
  });

  it('an APNG of many colours gets a palette for all its frames, and says how it looks', {
    tags: 'slow',
  }, async () => {
    const size = { width: 120, height: 120 };
    const frames = Array.from({ length: 6 }, (_, frame) => ({
      region: { left: 0, top: 0, ...size },
      samples: Array.from({ length: 120 * 120 }, (_, i) =>
        sticker(i % 120, Math.floor(i / 120), frame),
      ).flat(),
      delay: [1, 10] as const,
    }));
    const file = Uint8Array.from(
      makeApng({ ...size, color: pngColor.rgba, depth: 8, plays: 0, frames }),
    );
    const { headers, body, timeline } = await optimized(file, '');
    expect(headers.get('Image-Quality')).toBe('80');
    expect(Number(headers.get('Image-Score'))).toBeGreaterThan(75);
    const exact = await optimized(file, '?quality=lossless');
    expect(body.length).toBeLessThan(0.6 * exact.body.length);
    const before = await timelineOf('png', file);
    expect(timelineDifference(timeline, before, { tolerance: 24 })).toBeNull();
    const asked = await optimized(file, '?quality=80');
    expect(asked.body.equals(body)).toBe(true);
  });

  it('an animated AVIF comes back unchanged, and nothing else is made of it', async () => {
    const still = await plainPicture(64, 48).avif({ effort: 0 }).toBuffer();
    const { data } = codedPicture(still);
    const size = { width: 64, height: 48 };
    const file = Uint8Array.from(asSequence(still, [data, data], size));
    const response = await service.optimize(file, '?quality=10');
    const result = await expectPicture(response);
    expect(response.headers.get('Image-Reason')).toBe('animated');
    expect(response.headers.get('Image-Frames')).toBe('2');
    expect(result.length).toBe(file.length);
    expect(result.includes(Buffer.from(data))).toBe(true);
    for (const query of ['?format=webp', '?format=gif', '?width=20']) {
      await expectProblem(await service.optimize(file, query), 'invalid_image');
    }
  });
});

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { namedPositions, type OptimizeOptions, readOptions } from '../../../../src/image/engine.ts';
import { describeForEach } from '../../../support/each.ts';
import { optimize } from '../../../support/engine.ts';
import { plainPicture } from '../../../support/pictures.ts';
import { Random } from '../../../support/random.ts';

/** A picture whose pixels say where they are: red is x, green is y, and blue the number of the frame. */
function places(width: number, height: number, frame = 0): Buffer {
  const at = (i: number) => [i % width, Math.floor(i / width), frame, 255];
  return Buffer.from(Array.from({ length: width * height }, (_, i) => at(i)).flat());
}

const [width, height] = [60, 40];

/** A lossless picture with an orientation tag, whose upright pixels say where they are. */
async function lying(orientation: number): Promise<Uint8Array<ArrayBuffer>> {
  const upright = () => sharp(places(width, height), { raw: { width, height, channels: 4 } });
  // The turn that the tag undoes.
  const turns = [
    upright(),
    upright().flop(),
    upright().rotate(180),
    upright().flip(),
    upright().rotate(270).flop(),
    upright().rotate(270),
    upright().rotate(90).flop(),
    upright().rotate(90),
  ];
  const turned = await turns[orientation - 1]?.raw().toBuffer({ resolveWithObject: true });
  if (!turned) throw new Error('there are eight orientations');
  const { data, info } = turned;
  const raw = { width: info.width, height: info.height, channels: 4 } as const;
  return Uint8Array.from(await sharp(data, { raw }).png().withMetadata({ orientation }).toBuffer());
}

async function uprightPixels(file: Uint8Array) {
  const shown = sharp(file).autoOrient().ensureAlpha().raw();
  const { data, info } = await shown.toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number) => [...data.subarray(4 * (y * info.width + x)).subarray(0, 4)];
  return { width: info.width, height: info.height, at };
}

function made(file: Uint8Array<ArrayBuffer>, options: Parameters<typeof readOptions>[0]) {
  return optimize(file, readOptions({ quality: 'lossless', ...options }));
}

/** Where a crop of a side begins that has the point at this fraction in its middle, as far as the edges allow. */
function startOf(at: number, side: number, length: number): number {
  return Math.min(Math.max(Math.floor(at * side - length / 2), 0), side - length);
}

const random = new Random(50);
const points = Array.from({ length: 50 }, () => ({
  x: Math.round(random.unit() * 1000) / 1000,
  y: Math.round(random.unit() * 1000) / 1000,
}));
const named: readonly Placed[] = Object.entries(namedPositions);
const placed = points.map((point): Placed => [`${point.x},${point.y}`, point]);
type Placed = readonly [position: string, { readonly x: number; readonly y: number }];

/** All names, and some of the points. */
const positionsFor = (part: number) => [...named, ...placed.filter((_, i) => i % 8 === part % 8)];

describeForEach(
  [[6], [1], [2], [3], [4], [5], [7], [8]],
  'a picture of orientation %d',
  (orientation) => {
    it('is cropped to the pixel at every position', async () => {
      const file = await lying(orientation);
      for (const [position, { x, y }] of positionsFor(orientation)) {
        for (const [box, start] of [
          [
            { width: 25, height },
            { left: startOf(x, width, 25), top: 0 },
          ],
          [
            { width, height: 15 },
            { left: 0, top: startOf(y, height, 15) },
          ],
        ] as const) {
          const result = made(file, { ...box, fit: 'cover', position });
          expect([result.width, result.height]).toEqual([box.width, box.height]);
          const shown = await uprightPixels(result.bytes);
          expect([position, shown.width, shown.height]).toEqual([position, box.width, box.height]);
          expect([position, ...shown.at(0, 0)]).toEqual([position, start.left, start.top, 0, 255]);
          const last = [start.left + box.width - 1, start.top + box.height - 1, 0, 255];
          expect(shown.at(box.width - 1, box.height - 1)).toEqual(last);
        }
      }
    });

    it('has margins where its position leaves them, in its own format and in another', async () => {
      const file = await lying(orientation);
      const [wide, high] = [80, 50];
      for (const [position, { x, y }] of positionsFor(orientation)) {
        for (const format of ['keep', 'webp'] as const) {
          const box = { width: wide, height: high, fit: 'contain', position } as const;
          const result = made(file, { ...box, format, background: '#102030' });
          const shown = await uprightPixels(result.bytes);
          expect([shown.width, shown.height]).toEqual([wide, high]);
          const left = Math.floor(x * (wide - width));
          const top = Math.floor(y * (high - height));
          expect(shown.at(left, top)).toEqual([0, 0, 0, 255]);
          expect(shown.at(left + width - 1, top + height - 1)).toEqual([59, 39, 0, 255]);
          const outside = [
            ...(left > 0 ? [[left - 1, top]] : []),
            ...(top > 0 ? [[left, top - 1]] : []),
          ];
          for (const [column = 0, row = 0] of outside) {
            expect(shown.at(column, row)).toEqual([0x10, 0x20, 0x30, 255]);
          }
        }
      }
    });
  },
);

describe('an animation', () => {
  const frames = 3;
  const moving = async () => {
    const data = Buffer.concat(
      Array.from({ length: frames }, (_, i) => places(width, height, 40 * i)),
    );
    const raw = { width, height: height * frames, channels: 4, pageHeight: height } as const;
    return Uint8Array.from(
      await sharp(data, { raw }).webp({ lossless: true, exact: true }).toBuffer(),
    );
  };
  const frameOf = async (file: Uint8Array, page: number) => {
    const { data, info } = await sharp(file, { page })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return (x: number, y: number) => [...data.subarray(4 * (y * info.width + x)).subarray(0, 4)];
  };

  it('is cropped at the same place in every frame', { tags: 'slow' }, async () => {
    const file = await moving();
    for (const [position, { x }] of positionsFor(0)) {
      const result = made(file, { width: 25, height, fit: 'cover', position });
      for (let page = 0; page < frames; page += 1) {
        const at = await frameOf(result.bytes, page);
        expect([position, ...at(0, 0)]).toEqual([
          position,
          startOf(x, width, 25),
          0,
          40 * page,
          255,
        ]);
      }
    }
  });

  it('has margins in every frame, transparent ones where no background is given', async () => {
    const result = made(await moving(), { width: 70, height: 70, fit: 'contain' });
    for (let page = 0; page < frames; page += 1) {
      const at = await frameOf(result.bytes, page);
      expect(at(4, 15)[3]).toBe(0);
      expect(at(5, 15)).toEqual([0, 0, 40 * page, 255]);
      expect(at(64, 54)).toEqual([59, 39, 40 * page, 255]);
      expect(at(35, 55)[3]).toBe(0);
    }
  });
});

describe('margins', () => {
  const marginOf = async (options: Partial<OptimizeOptions>) => {
    const file = Uint8Array.from(await plainPicture(90, 60).jpeg().toBuffer());
    const { bytes } = optimize(file, { width: 60, height: 60, fit: 'contain', ...options });
    const { at } = await uprightPixels(bytes);
    return at(30, 2);
  };

  it('are white in a JPEG, transparent in formats that can be, and otherwise the background', {
    tags: 'slow',
  }, async () => {
    for (const sample of await marginOf({})) expect(sample).toBeGreaterThan(250);
    for (const format of ['png', 'webp', 'avif'] as const) {
      expect((await marginOf({ format }))[3]).toBe(0);
    }
    const blue = await marginOf({ background: [0, 0, 255] });
    expect(Math.hypot(blue[0] ?? 0, blue[1] ?? 0, 255 - (blue[2] ?? 0))).toBeLessThan(8);
  });

  it('turn a grey picture to colours only where they are colourful', async () => {
    const grey = Uint8Array.from(await plainPicture(90, 60).greyscale().png().toBuffer());
    const box = { width: 120, height: 60, fit: 'contain' } as const;
    const channels = async (background: OptimizeOptions['background']) =>
      (await sharp(optimize(grey, { ...box, background, quality: 'lossless' }).bytes).metadata())
        .channels;
    expect(await channels([128, 128, 128])).toBeLessThanOrEqual(2);
    expect(await channels([255, 0, 0])).toBeGreaterThanOrEqual(3);
  });

  it('leave a picture alone that already has the sides of the box', async () => {
    const file = Uint8Array.from(await plainPicture(90, 60).jpeg({ quality: 90 }).toBuffer());
    const options = { width: 90, height: 60, fit: 'contain' } as const;
    expect(optimize(file, options).bytes).toEqual(optimize(file).bytes);
  });
});

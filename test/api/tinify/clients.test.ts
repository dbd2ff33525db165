import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeForEach } from '../../support/each.ts';
import { difference, pixels, plainPicture, sample } from '../../support/pictures.ts';
import { type NodeClient, nodeClients, pointAt } from '../../support/tinify/node-clients.ts';
import { startTinifyService, type TinifyService } from '../../support/tinify/service.ts';

type Source = ReturnType<NodeClient['fromBuffer']>;

let service: TinifyService;
let key: string;
let folder: string;
/** 512 × 512, with alpha. */
let logo: Buffer;
/** 300 × 200. */
let photo: Buffer;
beforeAll(async () => {
  service = await startTinifyService();
  key = await service.newKey('someone@example.com');
  folder = await mkdtemp(join(tmpdir(), 'fewerbytes-tinify-'));
  logo = Buffer.from(await sample('logo.png'));
  photo = await plainPicture(300, 200)
    .jpeg({ quality: 95 })
    .withExifMerge({
      IFD0: { Copyright: 'All rights: Ada', Software: 'Analytical Engine' },
      IFD2: { DateTimeOriginal: '2026:11:26 08:00:00' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 36/1' },
    })
    .toBuffer();
}, 120_000);
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** 47° 22′, as stored in EXIF in either byte order. */
const latitudes = ['2f0000000100000016000000', '0000002f0000000100000016'].map((hex) =>
  Buffer.from(hex, 'hex').toString('latin1'),
);

/** The result for a source, after checking everything that its headers state. */
async function saved(source: Source) {
  const result = source.result();
  const bytes = Buffer.from(await result.toBuffer());
  const { format, width, height, exif, hasAlpha } = await sharp(bytes).metadata();
  const type = format === 'heif' ? 'avif' : format;
  expect({
    size: await result.size(),
    mediaType: await result.mediaType(),
    contentType: await result.contentType(),
    extension: await result.extension(),
    width: await result.width(),
    height: await result.height(),
  }).toEqual({
    size: bytes.length,
    mediaType: `image/${type}`,
    contentType: `image/${type}`,
    extension: type,
    width,
    height,
  });
  return {
    bytes,
    type,
    size: `${width}x${height}`,
    exif: exif?.toString('latin1') ?? '',
    hasAlpha,
  };
}

describeForEach(nodeClients, 'Tinify’s client for %s', (_name, tinify) => {
  beforeEach(() => {
    pointAt(tinify, service);
    tinify.key = key;
  });

  it('makes a file smaller, which looks the same', async () => {
    const [from, to] = [join(folder, 'logo.png'), join(folder, 'smaller.png')];
    await writeFile(from, logo);
    await tinify.fromFile(from).toFile(to);
    const smaller = await readFile(to);
    expect(smaller.length).toBeLessThan(logo.length / 2);
    expect((await sharp(smaller).metadata()).isPalette).toBe(true);
    expect(difference(await pixels(smaller), await pixels(logo))).toBeLessThan(2);
  });

  it('makes bytes smaller, and saves them as often as it likes', async () => {
    const source = tinify.fromBuffer(photo);
    const first = await saved(source);
    expect(first).toMatchObject({ type: 'jpeg', size: '300x200', exif: '' });
    expect(first.bytes.length).toBeLessThan(photo.length * 0.8);
    expect(Buffer.from(await source.toBuffer())).toEqual(first.bytes);
  });

  it('has an image fetched from its URL', async () => {
    const url = service.foreign.serve('/photo.jpg', photo);
    const { bytes } = await saved(tinify.fromUrl(url));
    expect(bytes).toEqual((await saved(tinify.fromBuffer(photo))).bytes);
  });

  it.each([
    [{ method: 'scale', width: 150 }, '150x100'],
    [{ method: 'scale', height: 50 }, '75x50'],
    [{ method: 'fit', width: 100, height: 100 }, '100x67'],
    [{ method: 'cover', width: 100, height: 100 }, '100x100'],
    [{ method: 'thumb', width: 80, height: 120 }, '80x120'],
  ])('resizes with %o to %s', async (options, size) => {
    expect(await saved(tinify.fromBuffer(photo).resize(options))).toMatchObject({
      size,
      type: 'jpeg',
    });
  });

  it('covers from the middle', async () => {
    const third = { width: 100, height: 100, channels: 3 } as const;
    const thirds = ['#ff0000', '#00ff00', '#0000ff'].map((background, i) => ({
      input: { create: { ...third, background } },
      left: 100 * i,
      top: 0,
    }));
    const flag = sharp({ create: { ...third, width: 300, background: '#000000' } });
    const png = await flag.composite(thirds).png().toBuffer();
    const options = { method: 'cover', width: 50, height: 50 };
    const { bytes } = await saved(tinify.fromBuffer(png).resize(options));
    const { channels } = await sharp(bytes).stats();
    expect(channels.slice(0, 3).map(({ mean }) => Math.round(mean))).toEqual([0, 255, 0]);
  });

  it.each([
    ['image/webp', 'webp'],
    ['image/avif', 'avif'],
    ['image/png', 'png'],
    ['image/jpeg', 'jpeg'],
    ['image/jpg', 'jpeg'],
  ] as const)('converts to %s', async (type, format) => {
    const source = tinify.fromBuffer(photo).resize({ method: 'scale', width: 120 });
    expect(await saved(source.convert({ type }))).toMatchObject({ type: format, size: '120x80' });
  });

  it('takes the smallest of several types', { tags: 'slow' }, async () => {
    const source = tinify.fromBuffer(photo);
    const types = ['image/webp', 'image/avif', 'image/jpeg'] as const;
    const each: number[] = [];
    for (const type of types) each.push((await saved(source.convert({ type }))).bytes.length);
    const { bytes } = await saved(source.convert({ type: [...types] }));
    const any = await saved(source.convert({ type: '*/*' }));
    expect(bytes.length).toBeLessThanOrEqual(Math.min(...each));
    expect(any.bytes.length).toBeLessThanOrEqual(bytes.length);
  });

  it('leaves JPEG out where an image is transparent', { tags: 'slow' }, async () => {
    const converted = tinify.fromBuffer(logo).convert({ type: ['image/jpeg', 'image/webp'] });
    expect(await saved(converted)).toMatchObject({ type: 'webp', hasAlpha: true });
  });

  it.each([
    ['copyright', { copyright: true, creation: false, location: false }],
    ['creation', { copyright: false, creation: true, location: false }],
    ['location', { copyright: false, creation: false, location: true }],
  ])('preserves %s, and nothing else', async (part, kept) => {
    const { exif, size } = await saved(tinify.fromBuffer(photo).preserve(part));
    expect({
      copyright: exif.includes('All rights: Ada'),
      creation: exif.includes('2026:11:26 08:00:00'),
      location: latitudes.some((latitude) => exif.includes(latitude)),
    }).toEqual(kept);
    expect(exif).not.toContain('Analytical');
    expect(size).toBe('300x200');
  });

  it('does all of it at once', async () => {
    const result = await saved(
      tinify
        .fromBuffer(photo)
        .resize({ method: 'fit', width: 60, height: 60 })
        .preserve(['copyright', 'creation'])
        .convert({ type: 'image/webp' })
        .transform({ background: 'white' }),
    );
    expect(result).toMatchObject({ type: 'webp', size: '60x40' });
    expect(result.exif).toContain('All rights: Ada');
  });

  it.each([
    ['#ff8000', [255, 128, 0]],
    ['#FF8000', [255, 128, 0]],
    ['white', [255, 255, 255]],
    ['black', [0, 0, 0]],
  ])('lays %s behind an image that becomes a JPEG', { tags: 'slow' }, async (background, color) => {
    const converted = tinify.fromBuffer(logo).convert({ type: 'image/jpeg' });
    const { bytes, type } = await saved(converted.transform({ background }));
    expect(type).toBe('jpeg');
    const corner = (await pixels(bytes)).subarray(0, 3);
    expect(difference(corner, Buffer.from(color))).toBeLessThan(4);
  });

  it('lays a color behind an image that stays what it is', { tags: 'slow' }, async () => {
    const { bytes, type } = await saved(
      tinify.fromBuffer(logo).transform({ background: '#00ff00' }),
    );
    expect(type).toBe('png');
    const { data } = await sharp(bytes).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    expect(Array.from(data.subarray(0, 4))).toEqual([0, 255, 0, 255]);
    expect((await sharp(bytes).stats()).isOpaque).toBe(true);
  });

  it('counts each saved result once', async () => {
    tinify.key = await service.newKey('someone@example.com');
    const source = tinify.fromBuffer(photo);
    await source.toBuffer();
    expect(tinify.compressionCount).toBe(1);
    await source.toBuffer();
    expect(tinify.compressionCount).toBe(1);
    await source.resize({ method: 'scale', width: 50 }).toBuffer();
    expect(tinify.compressionCount).toBe(2);
  });

  it('counts nothing that is not saved', { tags: 'slow' }, async () => {
    tinify.key = await service.newKey('someone@example.com');
    const source = tinify.fromBuffer(photo);
    // Settles when the upload has a response.
    await expect(
      source
        .convert({ type: 'image/nothing' as 'image/png' })
        .result()
        .size(),
    )
      .rejects //
      .toThrow('JSON validation error');
    expect(tinify.compressionCount).toBe(0);
  });
});

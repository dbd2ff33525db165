import sharp, { type Sharp } from 'sharp';
import { inputFacts } from '../../../src/image/formats/facts.ts';
import { asSequence, codedPicture } from '../../unit/image/formats/avif/sequences.ts';
import { inkSamplings, made, samplings } from '../../unit/image/formats/jpeg/made-jpegs.ts';
import { channelCounts, layouts, pngWith } from '../../unit/image/formats/png/png-writer.ts';
import { makeApng, pngColor, samplesOf } from '../animations/apng-maker.ts';
import type { GeneratedAnimation } from '../animations/content.ts';
import { generatedApng } from '../animations/generated-apng.ts';
import { generatedGif } from '../animations/generated-gif.ts';
import { generatedWebp } from '../animations/generated-webp.ts';
import { makeGif, type Rgb } from '../animations/gif-maker.ts';
import { avifGrid } from '../avif-grid.ts';
import { encoderAvif } from '../pictures.ts';
import { Random } from '../random.ts';
import { mutatedAvif } from './avif.ts';
import { mutatedGif } from './gif.ts';
import { mutatedBytes, mutatedJpeg } from './jpeg.ts';
import type { Mutation } from './mutation.ts';
import { mutatedPng } from './png.ts';
import { mutatedWebp } from './webp.ts';

/** A valid file, or one of an unsupported type, before it is changed. */
interface Original {
  readonly name: string;
  readonly file: Uint8Array;
}

/** Files of one format, with the mutation for them. */
interface Kind {
  readonly originals: readonly Original[];
  readonly mutated: Mutation;
}

/** All supported input formats, and files of other types. */
export const formats = [...inputFacts.map(({ type }) => type), 'other'] as const;
export type Format = (typeof formats)[number];

const [width, height] = [80, 60];

/** A small file for each code path, so that thousands of them take only minutes. */
export async function mutationOriginals(): Promise<Readonly<Record<Format, Kind>>> {
  return {
    jpeg: { originals: await jpegs(), mutated: mutatedJpeg },
    png: { originals: await pngs(), mutated: mutatedPng },
    webp: { originals: await webps(), mutated: mutatedWebp },
    avif: { originals: await avifs(), mutated: mutatedAvif },
    gif: { originals: await gifs(), mutated: mutatedGif },
    other: { originals: await others(), mutated: mutatedBytes },
  };
}

async function jpegs(): Promise<Original[]> {
  return [
    ...(await encoded({
      sequential: picture().jpeg({ quality: 90 }),
      '4:4:4': picture().jpeg({ quality: 95, chromaSubsampling: '4:4:4' }),
      progressive: picture().jpeg({ quality: 85, progressive: true }),
      cmyk: picture().toColourspace('cmyk').jpeg(),
      grey: picture().toColourspace('b-w').jpeg(),
      tagged: tagged(picture()).jpeg(),
      'tagged progressive': tagged(picture()).jpeg({ progressive: true }),
    })),
    { name: 'restarts', file: made(90, 70, samplings['4:2:2'], { restartInterval: 4 }) },
    { name: 'ink', file: made(70, 50, inkSamplings['four components'], { adobe: 2 }) },
  ];
}

async function pngs(): Promise<Original[]> {
  const plain = layouts.flatMap(([colorType, bitDepth]) =>
    [false, true].map((interlaced) => {
      const channels = channelCounts[colorType];
      const top = 2 ** bitDepth;
      const palette = Uint8Array.from({ length: 3 * Math.min(top, 200) }, (_, i) => i * 73);
      const file = pngWith({
        ...{ width: 61, height: 43, colorType, bitDepth, interlaced },
        sample: (x, y, channel) => (x * 3 + y * (channel + channels)) % Math.min(top, 200),
        ...(colorType === 3 && { palette }),
      });
      return { name: `${colorType}/${bitDepth}${interlaced ? ' interlaced' : ''}`, file };
    }),
  );
  const laden = await tagged(picture(4)).png().toBuffer();
  return [
    ...plain,
    { name: 'tagged', file: laden },
    hiddenDefault(),
    ...(await drawn(generatedApng)),
  ];
}

/** An APNG whose default image is not a frame. */
function hiddenDefault(): Original {
  const size = { width: 24, height: 20 };
  const samples = (ink: number) =>
    samplesOf(Buffer.alloc(4 * size.width * size.height, ink), pngColor.rgb, 8);
  const file = makeApng({
    ...{ ...size, color: pngColor.rgb, depth: 8, plays: 3, defaultImage: samples(9) },
    frames: [40, 90].map((ink) => ({
      region: { left: 0, top: 0, ...size },
      samples: samples(ink),
      delay: [1, 10],
    })),
  });
  return { name: 'animated, hidden default image', file };
}

/** Generated animations, which cover the properties of frames. */
async function drawn(
  make: (random: Random) => GeneratedAnimation | Promise<GeneratedAnimation>,
): Promise<Original[]> {
  const random = new Random(31);
  const originals: Original[] = [];
  for (let count = 0; count < 5; count += 1) originals.push(await make(random));
  return originals;
}

async function webps(): Promise<Original[]> {
  const coded = await encoded({
    lossy: picture().webp({ quality: 80 }),
    lossless: picture().webp({ lossless: true }),
    alpha: picture(4).webp({ quality: 80 }),
    'lossless alpha': picture(4).webp({ lossless: true }),
    'two colours': colored(2).webp({ lossless: true }),
    'a dozen colours': colored(12).webp({ lossless: true }),
    'two hundred colours': colored(200).webp({ lossless: true }),
    tagged: tagged(picture(4)).webp(),
    animated: animation().webp({ quality: 60 }),
    'animated lossless': tagged(animation()).webp({ lossless: true }),
  });
  return [...coded, ...(await drawn(generatedWebp))];
}

async function avifs(): Promise<Original[]> {
  const effort = 0;
  const cells = [picture(3, 64, 64), picture(3, 64, 64).negate(), picture(3, 64, 64).flip()];
  const cell = (image: Sharp) => image.avif({ effort }).toBuffer();
  const grid = { width: 180, height: 60, columns: 3, rows: 1 };
  const coded = await encoded({
    '8 bits': picture().avif({ effort }),
    '4:2:0': picture().avif({ effort, chromaSubsampling: '4:2:0' }),
    '10 bits': picture().avif({ effort, bitdepth: 10 }),
    '12 bits': picture(4).avif({ effort, bitdepth: 12 }),
    alpha: picture(4).avif({ effort }),
    lossless: picture().avif({ effort, lossless: true }),
    tagged: tagged(picture(4)).avif({ effort }),
  });
  const still = coded[0]?.file ?? new Uint8Array();
  const { data } = codedPicture(still);
  return [
    ...coded,
    { name: 'grid', file: avifGrid(await Promise.all(cells.map(cell)), grid) },
    { name: 'sequence', file: asSequence(still, [data, data], { width, height }) },
    { name: 'two items', file: encoderAvif.lossyWithAlpha },
    { name: 'lossless of 16 × 12', file: encoderAvif.lossless },
  ];
}

async function gifs(): Promise<Original[]> {
  const colors = (count: number): Rgb[] =>
    Array.from({ length: count }, (_, i) => [(73 * i) & 255, (29 * i) & 255, 255 - i]);
  const still = (count: number, interlaced: boolean): Original => {
    const file = makeGif({
      ...{ width, height, palette: colors(count), comment: 'of a test' },
      frames: [
        {
          region: { left: 0, top: 0, width, height },
          indices: Uint8Array.from({ length: width * height }, (_, i) => (i >> 2) % count),
          control: { transparent: 1 },
          interlaced,
        },
      ],
    });
    return { name: `${count} colours${interlaced ? ', interlaced' : ''}`, file };
  };
  return [
    ...(await encoded({ dithered: picture().gif(), animated: animation().gif() })),
    ...[still(2, false), still(17, true), still(256, false)],
    ...(await drawn(generatedGif)),
  ];
}

async function others(): Promise<Original[]> {
  const text = (words: string) => Buffer.from(words, 'latin1');
  return [
    { name: 'tiff', file: await picture().tiff().toBuffer() },
    { name: 'gif signature', file: text('GIF89a'.repeat(50)) },
    { name: 'svg', file: text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>') },
    { name: 'heic', file: text('\0\0\0\x18ftypheic\0\0\0\0mif1heic') },
    { name: 'pdf', file: text('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n') },
    { name: 'zeros', file: new Uint8Array(4000) },
    { name: 'jpeg signature', file: text('\xff\xd8\xff\xe0'.repeat(50)) },
    { name: 'png signature', file: text('\x89PNG\r\n\x1a\n'.repeat(50)) },
    { name: 'webp signature', file: text('RIFF\x20\0\0\0WEBPVP8 '.repeat(30)) },
    { name: 'avif signature', file: text('\0\0\0\x18ftypavif\0\0\0\0mif1avif'.repeat(30)) },
  ];
}

function encoded(images: Readonly<Record<string, Sharp>>): Promise<Original[]> {
  return Promise.all(
    Object.entries(images).map(async ([name, image]) => ({ name, file: await image.toBuffer() })),
  );
}

function picture(channels: 3 | 4 = 3, across = width, down = height): Sharp {
  const data = Buffer.alloc(across * down * channels);
  for (let i = 0; i < data.length; i += 1) {
    const [x, y] = [Math.floor(i / channels) % across, Math.floor(i / channels / across)];
    const isAlpha = i % channels === 3;
    data[i] = isAlpha
      ? x < across / 3
        ? 0
        : 255 - y
      : (x * 3 + (y ^ x) * (1 + (i % channels))) & 255;
  }
  return sharp(data, { raw: { width: across, height: down, channels } });
}

/** An image with so few colors that it becomes a palette image. */
function colored(colors: number): Sharp {
  const data = Buffer.alloc(width * height * 3);
  for (let i = 0; i < width * height; i += 1) {
    const color = (((i % width) >> 2) + (i >> 3) * (i % 7)) % colors;
    data.set([color * 73, color * 29, color], 3 * i);
  }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** Three frames, stacked vertically as sharp requires. */
function animation(): Sharp {
  const data = Buffer.alloc(24 * 60 * 4, 255);
  for (let i = 0; i < data.length; i += 1) if (i % 4 < 3) data[i] = (i * 7 + (i >> 8)) & 255;
  return sharp(data, { raw: { width: 24, height: 60, channels: 4, pageHeight: 20 } });
}

function tagged(image: Sharp): Sharp {
  return image
    .withIccProfile('p3')
    .withExif({
      IFD0: { Artist: 'Somebody', Copyright: 'Somebody', Orientation: '6' },
      IFD3: { GPSLatitude: '51/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>');
}

import sharp, { type Sharp } from 'sharp';
import type { Picture, Step } from '../../../test/support/codec-steps.ts';
import { type Content, contents, type Size } from './contents.ts';

/** One line of the table; the step is created only when it is measured, because pictures are large. */
export interface Case {
  readonly step: string;
  readonly contents: readonly Content[];
  readonly sizes: readonly Size[];
  readonly hasAlpha: boolean;
  make(picture: Picture): Promise<Step>;
}

const size = (width: number, height: number): Size => ({ width, height });

/** From one pixel to 3 megapixels, including odd sides and extreme aspect ratios. */
const sizes = [
  size(1, 1),
  size(730, 548),
  size(1001, 999),
  size(2000, 1000),
  size(2049, 1465),
  size(16_000, 64),
  size(64, 16_000),
];
/** For the codec that takes seconds per megapixel. */
const fewerSizes = sizes.filter(({ width }) => width !== 2049);

const fileSteps: readonly (readonly [Step['name'], string])[] = [['avif-decode', 'avif']];

/** Encodings with different costs for decoders. */
const encodings = {
  'webp lossy': (s) => s.removeAlpha().webp({ quality: 90 }),
  'webp lossy alpha': (s) => s.webp({ quality: 90 }),
  'webp lossless': (s) => s.removeAlpha().webp({ lossless: true, effort: 4 }),
  'webp lossless alpha': (s) => s.webp({ lossless: true, effort: 4 }),
  'avif 8-bit 4:2:0': (s) => s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:2:0' }),
  'avif 8-bit 4:4:4': (s) => s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:4:4' }),
  'avif 10-bit 4:2:0': (s) =>
    s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:2:0', bitdepth: 10 }),
  'avif 12-bit 4:4:4': (s) =>
    s.removeAlpha().avif({ ...avif, chromaSubsampling: '4:4:4', bitdepth: 12 }),
  'avif 8-bit 4:2:0 alpha': (s) => s.avif({ ...avif, chromaSubsampling: '4:2:0' }),
  'avif 10-bit 4:4:4 alpha': (s) => s.avif({ ...avif, chromaSubsampling: '4:4:4', bitdepth: 10 }),
} as const satisfies Record<string, (picture: Sharp) => Sharp>;

type Encoding = keyof typeof encodings;

export const cases: readonly Case[] = [
  ...fileSteps.flatMap(([name, prefix]) =>
    encodingNames()
      .filter((encoding) => encoding.startsWith(prefix))
      .map((encoding): Case => fileCase(name, encoding)),
  ),
  ...[50, 80, 92, 100].flatMap((quality) =>
    [false, true].flatMap((grey) =>
      [false, true].map((lowMemory) =>
        encodeCase('jpeg-encode', { quality, grey, lowMemory }, { hasAlpha: false }),
      ),
    ),
  ),
  ...([80, 100, 'lossless'] as const).flatMap((quality) =>
    [false, true].map((hasAlpha) => encodeCase('webp-encode', { quality }, { hasAlpha })),
  ),
  ...([30, 60, 90, 'lossless'] as const).flatMap((quality) =>
    [false, true].map((hasAlpha) =>
      encodeCase('avif-encode', { quality }, { hasAlpha, sizes: fewerSizes }),
    ),
  ),
  encodeCase(
    'avif-encode',
    { quality: 90, fullChroma: true },
    { hasAlpha: false, sizes: fewerSizes },
  ),
];

function encodingNames(): Encoding[] {
  return Object.keys(encodings) as Encoding[];
}

function fileCase(name: Step['name'], encoding: Encoding): Case {
  return {
    step: `${name} ${encoding}`,
    contents,
    sizes,
    hasAlpha: /alpha|RGBA/.test(encoding),
    async make(picture) {
      const file = await encodeFile(picture, encoding);
      return { name, file } as Step;
    },
  };
}

function encodeCase(
  name: Step['name'],
  settings: object | null,
  options: { readonly hasAlpha: boolean; readonly sizes?: readonly Size[] },
): Case {
  const alpha = options.hasAlpha ? ' alpha' : '';
  return {
    step: `${name} ${JSON.stringify(settings ?? {}).replace(/["{}]/g, '')}${alpha}`,
    contents,
    sizes,
    ...options,
    make: async (picture) => ({ name, picture, settings }) as Step,
  };
}

const avif = { quality: 90, effort: 0 } as const;

export async function encodeFile(picture: Picture, encoding: Encoding): Promise<Uint8Array> {
  const { width, height, data } = picture;
  const raw = { width, height, channels: 4 } as const;
  return new Uint8Array(await encodings[encoding](sharp(data, { raw })).toBuffer());
}

import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail, Speed } from '../coding.ts';
import { usualSpeed } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { pngFacts } from './facts.ts';
import type { PngInspection } from './inspect.ts';
import { samplesPerPixel, smallPicture } from './layout.ts';

// CPU time of PNG in milliseconds, by millions of pixels, and by megabytes of the file and of what it
// decompresses to. Coefficients are fitted to what `npm run bench -- --only cpu <folder of images>` measures.

const million = 1e6;

/** CPU time of reading all rows once. */
export function pngReadingMs(image: PngInspection, fileBytes: number): number {
  const { width, height, colorType, bitDepth, interlaced } = image;
  const megapixels = (width * height) / million;
  const inflated = (megapixels * samplesPerPixel[colorType] * bitDepth) / 8;
  const joining = interlaced ? 3.2 * inflated : 0;
  return 0.6 + 0.6 * megapixels + 0.26 * inflated + joining + (4.3 * fileBytes) / million;
}

interface WritingSettings {
  readonly quality: Quality;
  /** Whether palettes are scored. */
  readonly isScored: boolean;
  readonly speed: Speed;
}

/** CPU time of writing, in milliseconds per megapixel. */
interface WritingCosts {
  /** Filters and compression, for a photo. */
  readonly photo: number;
  /** The density (`Detail`) at which it is half of that. */
  readonly halfDensity: number;
  /** Choosing and applying a palette, for a photo. */
  readonly palette: number;
  /** Additional trials for small pictures with a palette, and for drawn ones. */
  readonly small: { readonly all: number; readonly palette: number; readonly drawn: number };
}

const recoding: WritingCosts = {
  photo: 1050,
  halfDensity: 0.036,
  palette: 220,
  small: { all: 150, palette: 700, drawn: 770 },
};
const encoding: WritingCosts = {
  photo: 1000,
  halfDensity: 0.02,
  palette: 160,
  small: { all: 170, palette: 570, drawn: 720 },
};

/** CPU time of recoding a PNG, whose rows are read several times. */
export function pngRecodingMs(
  image: PngInspection,
  fileBytes: number,
  settings: WritingSettings,
): number {
  const { isGrey, colorType, bitDepth, hasAlpha } = image;
  const isExact = settings.quality === 'lossless';
  // At the automatic quality, an indexed picture keeps its colors.
  const keepsPalette =
    colorType === 3 && !isExact && Number(settings.quality) >= pngFacts.output.quality.automatic;
  const { density, isDrawn } = pngDetail(image, fileBytes);
  // With a palette, all orders of its colors are tried.
  const detail = { density, isDrawn: isDrawn || colorType === 3 };
  const written = writingMs(image, recoding, settings, detail, {
    isGrey,
    hasPalette: !isExact && !keepsPalette,
  });
  const deep = isExact && bitDepth === 16 ? 2.9 : 1;
  // A fourth byte per pixel.
  const wide = hasAlpha && colorType === 6 ? 1.2 : 1;
  return 0.8 + 2 * pngReadingMs(image, fileBytes) + deep * wide * written;
}

/** CPU time of writing rows of pixels from any source. */
export function pngEncodingMs(
  shape: PictureShape,
  { isGrey, ...settings }: WritingSettings & { readonly isGrey: boolean },
  detail: Detail,
): number {
  const hasPalette = settings.quality !== 'lossless';
  return 1.2 + writingMs(shape, encoding, settings, detail, { isGrey, hasPalette });
}

/** CPU time of scoring a palette, in milliseconds per megapixel; on two backgrounds if there is transparency. */
const scoringCosts = { opaque: 57, transparent: 130 } as const;

/** CPU time of the greedy parse relative to the optimal one, for a photo; drawn pictures take less. */
const greedyShare = 0.6;

function writingMs(
  { width, height, hasAlpha }: PictureShape,
  costs: WritingCosts,
  { speed, isScored }: WritingSettings,
  { density, isDrawn }: Detail,
  { isGrey, hasPalette }: { readonly isGrey: boolean; readonly hasPalette: boolean },
): number {
  const { photo, halfDensity, palette, small } = costs;
  const [all, few] = [width * height, Math.min(width * height, smallPicture)];
  const share = density / (density + halfDensity);
  // Even flat rows are filtered and scanned.
  const parsing = (12 + photo * share) * all + (small.all + (isDrawn ? small.drawn : 0)) * few;
  const choosing = hasPalette ? (4 + palette * share) * all + small.palette * few : 0;
  const scoring =
    hasPalette && isScored ? scoringCosts[hasAlpha ? 'transparent' : 'opaque'] * all : 0;
  const parse = speed === usualSpeed ? 1 : greedyShare;
  return ((isGrey ? 0.48 : 1) * (parse * parsing + choosing) + scoring) / million;
}

/** Maximum bytes per pixel of drawn pictures. */
const maxDrawnDensity = 0.3;

export function pngDetail(
  { width, height, colorType, bitDepth }: PngInspection,
  fileBytes: number,
): Detail {
  const own = fileBytes / (width * height);
  const perByte = colorType === 3 ? 0.2 : bitDepth === 16 ? 0.05 : 0.1;
  return { density: perByte * own, isDrawn: own < maxDrawnDensity };
}

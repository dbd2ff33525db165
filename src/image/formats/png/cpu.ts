import { measuredPixels } from '../../metric/ssimulacra2.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import type { Detail, Speed } from '../coding.ts';
import { usualSpeed } from '../coding.ts';
import type { Quality } from '../inspection.ts';
import { pngFacts } from './facts.ts';
import type { PngInspection } from './inspect.ts';
import { samplesPerPixel, smallPicture } from './layout.ts';

// PNG CPU time in milliseconds, as a function of megapixels, and of megabytes of the file and of its inflated
// data. Coefficients are fitted to measurements of `npm run bench -- --only cpu <folder of images>`.

const million = 1e6;

/** Time to read all rows once. */
export function pngReadingMs(image: PngInspection, fileBytes: number): number {
  const { width, height, colorType, bitDepth, interlaced } = image;
  const megapixels = (width * height) / million;
  const inflated = (megapixels * samplesPerPixel[colorType] * bitDepth) / 8;
  const joining = interlaced ? 3.2 * inflated : 0;
  const rows = 0.6 + 0.6 * megapixels + 0.26 * inflated + joining + (4.3 * fileBytes) / million;
  return rows + spareMs(image, fileBytes, inflated);
}

/** CPU time of an IDAT or fdAT chunk in a pass over the rows, in milliseconds. */
const chunkMs = 0.001;

/** CPU time of the blocks that a byte of deflated data can hold at most (kernel/inflate/cursor.ts), in nanoseconds. */
const worstByte = 40;

/** Bytes of deflated data for a byte of the rows, in the least efficient encoders. */
const mostPerByte = 1.05;

/** Time for chunks, and for coded bytes that no rows need: they may be nothing but blocks that take the longest. */
function spareMs({ load, interlaced }: PngInspection, fileBytes: number, inflated: number): number {
  if (!load) return 0;
  // A sample of a picture has fewer bytes than the file that it is from.
  const coded = Math.min(load.codedBytes, fileBytes) / million;
  const spare = Math.max(0, coded - mostPerByte * inflated - 0.001);
  // The rows of an interlaced picture are read from several places at a time.
  return chunkMs * load.chunks + (interlaced ? 7 : 1) * worstByte * spare;
}

interface WritingSettings {
  readonly quality: Quality;
  /** Whether the result of a palette is scored. */
  readonly isScored: boolean;
  readonly speed: Speed;
}

/** Costs of writing, in milliseconds per megapixel. */
interface WritingCosts {
  /** Filters and deflate, for a photo. */
  readonly photo: number;
  /** The density (`Detail`) at which these take half of that. */
  readonly halfDensity: number;
  /** Choosing and applying a palette, for a photo. */
  readonly palette: number;
  /** Additional attempts for small pictures: for all, with a palette, and for drawings. */
  readonly small: { readonly all: number; readonly palette: number; readonly drawn: number };
}

const recoding: WritingCosts = {
  photo: 1050,
  halfDensity: 0.036,
  palette: 220,
  small: { all: 200, palette: 950, drawn: 1200 },
};
const encoding: WritingCosts = {
  photo: 1000,
  halfDensity: 0.02,
  palette: 160,
  small: { all: 250, palette: 900, drawn: 1100 },
};

/** Time to rewrite a PNG from its own rows, which are read several times. */
export function pngRecodingMs(
  image: PngInspection,
  fileBytes: number,
  settings: WritingSettings,
): number {
  const { isGrey, colorType, bitDepth, hasAlpha } = image;
  const isExact = settings.quality === 'lossless';
  // An image with a palette keeps its colors at the automatic quality.
  const keepsPalette =
    colorType === 3 && !isExact && Number(settings.quality) >= pngFacts.output.quality.automatic;
  const { density, isDrawn } = pngDetail(image, fileBytes);
  // With a palette, all orders of its colors are tried, whatever the picture shows.
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

/** Time to write rows of pixels from any source. */
export function pngEncodingMs(
  shape: PictureShape,
  { isGrey, ...settings }: WritingSettings & { readonly isGrey: boolean },
  detail: Detail,
): number {
  const hasPalette = settings.quality !== 'lossless';
  return 1.2 + writingMs(shape, encoding, settings, detail, { isGrey, hasPalette });
}

/**
 * Time to score the result of a palette, in milliseconds per megapixel; transparent pictures are scored on two
 * backgrounds.
 */
const scoringCosts = { opaque: 57, transparent: 130 } as const;

/** Time of greedy parsing relative to the best parse, for a photo; drawings take less. */
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
  // Rows are filtered and parsed however flat they are.
  const parsing = (12 + photo * share) * all + (small.all + (isDrawn ? small.drawn : 0)) * few;
  const choosing = hasPalette ? (4 + palette * share) * all + small.palette * few : 0;
  const scored = hasPalette && isScored ? measuredPixels({ width, height }) : 0;
  const scoring = scoringCosts[hasAlpha ? 'transparent' : 'opaque'] * scored;
  const parse = speed === usualSpeed ? 1 : greedyShare;
  return ((isGrey ? 0.48 : 1) * (parse * parsing + choosing) + scoring) / million;
}

/** Drawings take fewer bytes per pixel than this. */
const maxDrawnDensity = 0.3;

export function pngDetail(
  { width, height, colorType, bitDepth }: PngInspection,
  fileBytes: number,
): Detail {
  const own = fileBytes / (width * height);
  const perByte = colorType === 3 ? 0.2 : bitDepth === 16 ? 0.05 : 0.1;
  return { density: perByte * own, isDrawn: own < maxDrawnDensity };
}

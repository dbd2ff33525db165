import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ImageError, type Optimized, type OptimizeOptions } from '../../../src/image/engine.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { answerTo } from '../../support/engine.ts';
import { isFull } from '../../support/full.ts';
import { difference } from '../../support/pictures.ts';
import { corpusSamples, hasCorpus, opaqueInSharp } from '../../unit/image/formats/samples.ts';

const background = [255, 255, 255] as const;
const wishes = {
  'as a JPEG': { format: 'jpeg' },
  'as a JPEG on white': { format: 'jpeg', background },
  'as an exact PNG': { format: 'png', quality: 'lossless' },
  'as an AVIF': { format: 'avif' },
} as const satisfies Record<string, Partial<OptimizeOptions>>;
type Wish = keyof typeof wishes;

/** Which pictures are refused, and why. */
interface Expected {
  readonly reason: RegExp;
  readonly files: RegExp;
  /** Absent: whatever is asked for. */
  readonly wishes?: readonly Wish[];
}

const refusals: readonly Expected[] = [
  { reason: /transparent and JPEG is not/, files: /\.(png|webp)$/, wishes: ['as a JPEG'] },
  { reason: /inks of a CMYK picture/, files: /cmyk/i, wishes: ['as an exact PNG'] },
  { reason: /arithmetic coding/, files: /testimgari/ },
  { reason: /12 bits per sample/, files: /testorig12/ },
  { reason: /^This is not an image/, files: /pngsuite\/xs[124]/ },
  { reason: /signature is damaged/, files: /pngsuite\/x(s7|cr|lf)/ },
  { reason: /impossible colour type/, files: /pngsuite\/xc[19]/ },
  { reason: /bit depth that its colour type/, files: /pngsuite\/xd[039]/ },
  { reason: /checksum of the PNG header/, files: /pngsuite\/xhd/ },
  { reason: /no image data/, files: /pngsuite\/xdt/ },
];

/** Files that browsers show as they come back; libpng wants the checksum of image data to be right. */
const beyondSharp = ['pngsuite/xcsn0g01.png', opaqueInSharp];

const samples = corpusSamples().filter(({ name, bytes }) => isStill(name, bytes));
/** At length all of them; otherwise small ones, among them all that are damaged or odd. */
const tried = samples.filter(
  ({ name, bytes }, i) =>
    isFull || (bytes.length < 1e5 && (/jpeg-odd|pngsuite\/x/.test(name) || i % 6 === 0)),
);

describe.skipIf(!hasCorpus)('pictures of the corpus', { timeout: 1_800_000 }, () => {
  const met = new Set<Expected>();

  it.each(Object.keys(wishes) as Wish[])('come back %s, or are refused by name', async (wish) => {
    const faults: string[] = [];
    for (const { name, bytes } of tried) {
      const outcome = answerTo(bytes, wishes[wish]);
      if (!(outcome instanceof ImageError)) {
        if (beyondSharp.includes(name)) continue;
        faults.push(...(await faultsOf(outcome, bytes)).map((fault) => `${name}: ${fault}`));
        continue;
      }
      const expected = refusals.find(
        (one) =>
          one.files.test(name) &&
          one.reason.test(outcome.detail) &&
          (one.wishes?.includes(wish) ?? true),
      );
      if (expected) met.add(expected);
      else faults.push(`${name} is refused: ${outcome.detail}`);
    }
    expect(faults).toEqual([]);
  });

  it('are refused for each of these reasons', () => {
    expect(refusals.filter((one) => !met.has(one))).toEqual([]);
  });
});

/** JPEGs, PNGs and WebPs that are not animations, by what sharp or the name says. */
function isStill(name: string, bytes: Uint8Array): boolean {
  if (!/\.(jpe?g|png|webp)$/.test(name)) return false;
  const source = readSource(bytes);
  return source.kind !== 'source' || source.image.frames === 1;
}

/** What is wrong with a picture, beside the one that it was made of. */
async function faultsOf({ type, bytes }: Optimized, source: Uint8Array): Promise<string[]> {
  const [made, expected] = [await shown(bytes), await shown(source)];
  if (!made) return ['it cannot be decoded'];
  if (!expected) return ['sharp does not read it'];
  const size = `${made.info.width} × ${made.info.height}`;
  const stated = `${expected.info.width} × ${expected.info.height}`;
  if (size !== stated) return [`it is ${size} in the place of ${stated}`];
  if (type === 'png') return made.data.equals(expected.data) ? [] : ['it has other pixels'];
  const far = difference(await onWhite(bytes), await onWhite(source));
  const isNear = far < maxDifference || made.info.width * made.info.height < smallPixels;
  return isNear ? [] : [`it is ${far} away`];
}

/** Of samples, in steps of 8 bits: more than a JPEG or AVIF of the automatic quality is away. */
const maxDifference = 12;

/** Drawings of fewer pixels are mostly edges; those of PngSuite have gammas that make others of their samples, too. */
const smallPixels = 4096;

/** Upright RGBA; null if it is damaged. */
async function shown(file: Uint8Array) {
  try {
    return await upright(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  } catch {
    return null;
  }
}

function onWhite(file: Uint8Array): Promise<Buffer> {
  return upright(file).flatten({ background: '#ffffff' }).raw().toBuffer();
}

/** In the samples that are coded, 8 bits each. */
function upright(file: Uint8Array) {
  return sharp(file, { ignoreIcc: true, failOn: 'error' }).autoOrient().toColourspace('srgb');
}

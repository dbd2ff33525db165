import { describe, expect, it } from 'vitest';
import { isAcceptedProfile } from '../../../src/image/color/accepted-profile.ts';
import { ContainerError } from '../../../src/image/container/assemble.ts';
import {
  inspect,
  readMetadata,
  rewrap,
  type SourceImage,
} from '../../../src/image/formats/registry.ts';
import { type Metadata, noMetadata } from '../../../src/image/metadata/metadata.ts';
import { displayP3Profile } from '../../support/icc.ts';
import { encoderAvif } from '../../support/pictures.ts';
import { iccProfile } from '../../support/profile-of.ts';
import { Random } from '../../support/random.ts';
import { asSequence, box, codedPicture } from '../../unit/image/formats/avif/sequences.ts';
import { blocks } from '../../unit/image/formats/blocks.ts';
import {
  height,
  picture,
  rewrapped,
  width,
  withMetadata,
} from '../../unit/image/formats/pictures.ts';
import {
  corpusSamples,
  generatedSamples,
  hasCorpus,
  type Sample,
} from '../../unit/image/formats/samples.ts';

const choices: readonly Metadata[] = [noMetadata, blocks, { ...noMetadata, xmp: blocks.xmp }];
const added = displayP3Profile();

/** A copy with one to six bytes changed, mostly near the front, and sometimes cut. */
function damaged(original: Uint8Array, random: Random): Uint8Array {
  const whole = Uint8Array.from(original);
  const length = random.unit() < 0.2 ? Math.floor(random.between(0, whole.length)) : whole.length;
  const file = whole.subarray(0, length);
  const reach = random.unit() < 0.7 ? Math.min(1000, length) : length;
  for (let left = Math.ceil(random.between(0, 6)); left > 0; left--) {
    const at = Math.floor(random.between(0, reach));
    const extremes = [0x00, 0x7f, 0xff];
    const choice = extremes[Math.floor(random.between(0, 9))];
    if (at < length) file[at] = choice ?? (file[at] ?? 0) ^ (1 << Math.floor(random.between(0, 8)));
  }
  return file;
}

/** What came of a file: a readable one of the same type and appearance, or the one error. */
function outcome(file: Uint8Array, random: Random): string {
  const before = inspect(file);
  if (before.kind !== 'image') return 'refused';
  const { type } = before.image;
  const own = iccProfile(before.image, file);
  const icc = [own, null, added][Math.floor(random.between(0, 3))] ?? null;
  const metadata = choices[Math.floor(random.between(0, 3))] ?? noMetadata;
  const result = attempt(before.image, file, { icc, metadata });
  if (!result) return 'error';
  const addsNothing = (icc === own || !icc) && metadata === noMetadata;
  if (addsNothing && result.length > file.length) return 'bigger';
  const after = inspect(result);
  if (after.kind !== 'image' || after.image.type !== type) return JSON.stringify(after);
  const found = readMetadata(after.image, result);
  // One that can only be changed in place has the same length, and takes no new blocks.
  const isInPlace = type === 'avif' && result.length === file.length;
  for (const kind of ['exif', 'xmp', 'iptc'] as const) {
    const holds =
      type === 'gif' ? kind === 'xmp' : kind !== 'iptc' || type === 'jpeg' || type === 'png';
    const expected = holds ? metadata[kind] : null;
    if (!isInPlace && !same(found[kind], expected)) return `other ${kind}`;
  }
  const carried = iccProfile(after.image, result);
  // Browsers do not show an AVIF with a profile that they do not accept.
  const holdsProfile = type === 'avif' ? icc && isAcceptedProfile(icc) : type !== 'gif';
  return icc && holdsProfile && !same(carried, icc) ? 'other profile' : 'rewrapped';
}

function same(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === b || (a !== null && b !== null && Buffer.compare(a, b) === 0);
}

function attempt(image: SourceImage, ...rest: [Uint8Array, Parameters<typeof rewrap>[2]]) {
  try {
    return rewrap(image, ...rest);
  } catch (error) {
    if (error instanceof ContainerError) return undefined;
    throw error;
  }
}

function expectToHold(samples: readonly Sample[], rounds: number): void {
  const random = new Random(20260401);
  for (const { name, bytes } of samples) {
    for (let round = 0; round < rounds; round++) {
      const what = outcome(damaged(bytes, random), random);
      expect(['refused', 'error', 'rewrapped'], `${name}, round ${round}`).toContain(what);
    }
  }
}

describe('rewrapping', () => {
  it('of a damaged file gives a readable file or the one error', async () => {
    const ours = Object.entries(encoderAvif).map(([name, bytes]) => ({ name, bytes }));
    expectToHold([...(await generatedSamples()), ...ours], 1500);
  });

  it('of a damaged image sequence does too, in its own length', async () => {
    const still = rewrapped(await withMetadata(picture()).avif({ effort: 0 }).toBuffer(), blocks);
    const frames = [codedPicture(still).data];
    const notes = { movie: box('udta', 'note'), track: box('uuid', new Uint8Array(16)) };
    const bytes = asSequence(still, frames, { width, height }, notes);
    expectToHold([{ name: 'sequence', bytes }], 10_000);
  });

  it('of a file cut anywhere gives a readable file or the one error', async () => {
    const random = new Random(3);
    for (const { name, bytes } of await generatedSamples()) {
      for (let length = 0; length < Math.min(bytes.length, 2000); length++) {
        const what = outcome(Uint8Array.from(bytes.subarray(0, length)), random);
        expect(['refused', 'error', 'rewrapped'], `${name} cut to ${length}`).toContain(what);
      }
    }
  });

  it.skipIf(!hasCorpus)('holds for damaged files of a corpus', { timeout: 120_000 }, () => {
    expectToHold(
      corpusSamples().filter(({ bytes }) => bytes.length < 200_000),
      60,
    );
  });
});

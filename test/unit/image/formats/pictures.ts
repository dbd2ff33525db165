import sharp, { type Sharp } from 'sharp';
import {
  inspect,
  readMetadata,
  rewrap,
  type SourceImage,
} from '../../../../src/image/formats/registry.ts';
import { type Metadata, noMetadata } from '../../../../src/image/metadata/metadata.ts';
import { iccProfile } from '../../../support/profile-of.ts';
import { Random } from '../../../support/random.ts';

export const width = 40;
export const height = 24;

/** What a copy is to carry; nothing but what is named. */
type Carried = { icc?: Uint8Array | null } & Partial<Metadata>;

/** The copy of a file that must be an image. */
export function rewrapped(file: Uint8Array, carried: Carried = {}): Uint8Array<ArrayBuffer> {
  const { icc = null, ...metadata } = carried;
  return rewrap(imageOf(file), file, { icc, metadata: { ...noMetadata, ...metadata } });
}

/** The blocks of a file that must be an image, as copies that compare by value. */
export function metadataOf(file: Uint8Array): Metadata {
  const { exif, xmp, iptc } = readMetadata(imageOf(file), file);
  const copy = (block: Uint8Array | null) => block && Uint8Array.from(block);
  return { exif: copy(exif), xmp: copy(xmp), iptc: copy(iptc) };
}

export function imageOf(file: Uint8Array): SourceImage {
  const result = inspect(file);
  if (result.kind !== 'image') throw new Error(JSON.stringify(result));
  return result.image;
}

/** Noise over a gradient: every container and codec path gets something to code. */
export function picture(channels: 3 | 4 = 3): Sharp {
  const random = new Random(5);
  const data = Uint8Array.from({ length: width * height * channels }, (_, i) =>
    Math.min(255, ((i * 7) % 200) + random.between(0, 50)),
  );
  return sharp(data, { raw: { width, height, channels } });
}

/** Everything that people and programs leave in a picture, as far as sharp can write it. */
export function withMetadata(image: Sharp): Sharp {
  return image
    .withIccProfile('p3')
    .withExif({
      IFD0: { Artist: 'Somebody', Copyright: 'Somebody' },
      IFD3: { GPSLatitude: '51/1' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>');
}

/** Three frames, one below the other as sharp wants them. */
export function animation(): Sharp {
  const random = new Random(9);
  const data = Uint8Array.from({ length: 16 * 48 * 4 }, () => random.between(0, 256));
  return sharp(data, { raw: { width: 16, height: 48, channels: 4, pageHeight: 16 } });
}

export function profileOf(file: Uint8Array): Uint8Array | null {
  const profile = iccProfile(imageOf(file), file);
  return profile && Uint8Array.from(profile);
}

/** Names of what metadata a file has, by sharp. */
export async function metadataKinds(file: Uint8Array): Promise<string[]> {
  const metadata = await sharp(file).metadata();
  const kinds = ['exif', 'icc', 'iptc', 'xmp', 'comments'] as const;
  return kinds.filter((kind) => metadata[kind] !== undefined);
}

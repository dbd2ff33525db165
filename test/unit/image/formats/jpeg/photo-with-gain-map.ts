import sharp from 'sharp';
import { type Optimized, type OptimizeOptions, plan } from '../../../../../src/image/engine.ts';
import { sample } from '../../../../support/pictures.ts';
import { type UltraHdr, ultraHdr } from '../../../../support/ultra-hdr.ts';

export const pictureSize = { width: 800, height: 532 };

/**
 * A photo, of which the map is a small gray copy: what belongs together can be seen. Blurred, it looks the same whether
 * it is reduced in light or in code values.
 */
export async function parts({
  orientation = 1,
  mapSize = { width: 200, height: 133 },
  isBlurred = false,
} = {}): Promise<{ picture: Buffer; map: Buffer }> {
  const file = await sample('photo.jpg');
  const photo = sharp(isBlurred ? await sharp(file).resize(12).png().toBuffer() : file);
  const picture = photo.clone().resize({ ...pictureSize, fit: 'fill' });
  const map = photo
    .clone()
    .resize({ ...mapSize, fit: 'fill' })
    .greyscale()
    .toColourspace('b-w');
  return {
    picture: await picture.withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer(),
    map: await map.jpeg({ quality: 90 }).toBuffer(),
  };
}

export async function photoWithGainMap(
  changes: Partial<UltraHdr> = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return ultraHdr({ ...(await parts()), ...changes });
}

/** What comes of a file whose memory is released for the result, as that of a request is. */
export function answered(bytes: Uint8Array, options: Partial<OptimizeOptions> = {}): Optimized {
  const file = Uint8Array.from(bytes);
  const releaseFile = () => (file.buffer.detached ? null : file.buffer.transfer());
  return plan(file, options).start(releaseFile).finish();
}

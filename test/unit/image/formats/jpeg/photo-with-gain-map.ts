import sharp from 'sharp';
import { execute } from '../../../../../src/image/pipeline/execute.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../../src/image/pipeline/options.ts';
import { plan } from '../../../../../src/image/pipeline/plan.ts';
import { readSource } from '../../../../../src/image/pipeline/read-source.ts';
import type { Result } from '../../../../../src/image/pipeline/result.ts';
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

/** What a request is answered with; null: it is refused. */
export function answerTo(bytes: Uint8Array, options: Partial<OptimizeOptions> = {}): Result | null {
  const file = Uint8Array.from(bytes);
  const source = readSource(file);
  if (source.kind !== 'source') return null;
  const wanted = { ...defaultOptions, ...options };
  const planned = plan(source, wanted);
  if (planned.kind === 'refused') return null;
  const result = execute(file, source, planned, {
    level: wanted.metadata,
    releaseFile: () => (file.buffer.detached ? null : file.buffer.transfer()),
  });
  return result.kind === 'result' ? result : null;
}

/** The same, where there has to be an answer. */
export function answered(file: Uint8Array, options: Partial<OptimizeOptions> = {}): Result {
  const result = answerTo(file, options);
  if (!result) throw new Error('refused');
  return result;
}

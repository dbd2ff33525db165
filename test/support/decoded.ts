import sharp from 'sharp';

/** A picture as it is coded: no profile and no orientation applied, all frames. */
export interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly data: Buffer;
}

/** Decodes with sharp. A warning of the decoder is an error, except where the input had it already. */
export async function decoded(file: Uint8Array, { lenient = false } = {}): Promise<Decoded> {
  const { format } = await sharp(file).metadata();
  // The tiles of an AVIF grid would count as frames.
  const animated = format !== 'heif';
  const failOn = lenient ? 'none' : 'warning';
  const { data, info } = await sharp(file, { animated, ignoreIcc: true, failOn })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

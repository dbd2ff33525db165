import sharp from 'sharp';
import { encodeRaster } from './encode-raster.ts';
import { renderInterface } from './interface.ts';
import { renderLogo } from './logo.ts';
import { renderPhoto } from './photo.ts';
import { cached } from './sample-cache.ts';

/** A picture file made by code. */
export interface Sample {
  /** The file name, with the extension of its format. */
  readonly name: string;
  /** One sentence on what it shows and how it is encoded. */
  readonly describe: string;
  /** The file's bytes: from the cache, or rendered in a few seconds. */
  readonly render: () => Promise<Buffer>;
}

/** The kinds of picture that a service like this one is sent. */
export const samples: readonly Sample[] = [
  sample(
    'photo.jpg',
    'A ray-traced evening scene with noise and blur as of a camera; 1600 × 1067, JPEG, quality 95, 4:2:0.',
    () => encodeRaster(renderPhoto(), 'jpeg', { quality: 95, chromaSubsampling: '4:2:0' }),
  ),
  sample(
    'phone.jpg',
    'The same scene in the size that phones take; 4032 × 3024, JPEG, quality 92, 4:2:0.',
    phonePhoto,
  ),
  sample(
    'interface.png',
    'An application window with flat areas, text and charts; 1280 × 800, PNG, opaque RGB.',
    () => encodeRaster(renderInterface(), 'png', { compressionLevel: 6, palette: false }),
  ),
  sample(
    'logo.png',
    'A translucent flower over a soft shadow; 512 × 512, PNG, RGB and alpha.',
    () => encodeRaster(renderLogo(), 'png', { compressionLevel: 6, palette: false }),
  ),
];

/** Enlarged, since tracing so many pixels would take half a minute. */
function phonePhoto(): Promise<Buffer> {
  const { width, height, channels, data } = renderPhoto();
  return sharp(data, { raw: { width, height, channels } })
    .resize(4032, 3024, { fit: 'cover' })
    .sharpen({ sigma: 1 })
    .jpeg({ quality: 92, chromaSubsampling: '4:2:0' })
    .toBuffer();
}

function sample(name: string, describe: string, render: () => Promise<Buffer>): Sample {
  return { name, describe, render: () => cached(name, render) };
}

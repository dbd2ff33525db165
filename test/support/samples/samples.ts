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

/** The three kinds of picture that a service like this one is sent. */
export const samples: readonly Sample[] = [
  sample(
    'photo.jpg',
    'A ray-traced evening scene with noise and blur as of a camera; 1600 × 1067, JPEG, quality 95, 4:2:0.',
    () => encodeRaster(renderPhoto(), 'jpeg', { quality: 95, chromaSubsampling: '4:2:0' }),
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

function sample(name: string, describe: string, render: () => Promise<Buffer>): Sample {
  return { name, describe, render: () => cached(name, render) };
}

import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../../test/support/pictures.ts';

/** A PNG to be coded anew. */
export interface Picture {
  /** The folder's name; pictures of one folder are summed up together. */
  readonly group: string;
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** The PNGs of folders; without a folder the samples: graphics, a photo, and what else PNG can hold of them. */
export async function* pictures(folders: readonly string[]): AsyncGenerator<Picture> {
  if (folders.length === 0) yield* samples();
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) {
      if (extname(name).toLowerCase() !== '.png') continue;
      yield picture(basename(folder), name, await readFile(join(folder, name)));
    }
  }
}

async function* samples(): AsyncGenerator<Picture> {
  const group = 'samples';
  const [window, logo, photo] = await Promise.all([
    sample('interface.png'),
    sample('logo.png'),
    sample('photo.jpg'),
  ]);
  yield picture(group, 'interface.png', window);
  yield picture(group, 'logo.png', logo);
  yield picture(group, 'photo', await sharp(photo).png().toBuffer());
  const indexed = sharp(window).png({ palette: true, colours: 16, dither: 0 });
  yield picture(group, 'interface, 16 colours', await indexed.toBuffer());
  yield picture(group, 'photo, grey', await sharp(photo).greyscale().png().toBuffer());
  // enlarged in 16 bits, so that the lower eight are not the same as the upper ones
  const deep = sharp(logo).toColourspace('rgb16').resize(700, 700).png();
  yield picture(group, 'logo, 16 bits', await deep.toBuffer());
  const interlaced = sharp(logo).png({ progressive: true });
  yield picture(group, 'logo, interlaced', await interlaced.toBuffer());
}

function picture(group: string, name: string, file: Uint8Array): Picture {
  return { group, name, file: new Uint8Array(file) };
}

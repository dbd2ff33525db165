import sharp, { type Sharp } from 'sharp';
import { sample } from '../../test/support/pictures.ts';
import type { Corpus, CorpusFile } from './section.ts';

/** The sample pictures, and what PNG can hold of them. */
export async function sampleCorpus(): Promise<Corpus> {
  const [photo, phone, window, logo] = await Promise.all([
    sample('photo.jpg'),
    sample('phone.jpg'),
    sample('interface.png'),
    sample('logo.png'),
  ]);
  // Kodak's size, so that they take the time of Kodak's
  const size = { width: 768, height: 512 };
  const reduced = sharp(photo).resize(size).png();
  const middle = sharp(photo)
    .extract({ left: 416, top: 278, ...size })
    .png();
  const indexed = sharp(window).png({ palette: true, colours: 16, dither: 0 });
  const interlaced = sharp(logo).png({ progressive: true });
  return {
    name: 'the sample pictures',
    photos: [
      { name: 'phone.jpg', bytes: phone },
      { name: 'photo.jpg', bytes: photo },
    ],
    exactPhotos: [await file('photo, reduced', reduced), await file('photo, its middle', middle)],
    graphics: [
      { name: 'interface.png', bytes: window },
      await file('interface, 16 colours', indexed),
    ],
    translucent: [{ name: 'logo.png', bytes: logo }, await file('logo, interlaced', interlaced)],
  };
}

async function file(name: string, picture: Sharp): Promise<CorpusFile> {
  return { name, bytes: new Uint8Array(await picture.toBuffer()) };
}

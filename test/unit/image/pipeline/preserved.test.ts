import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { MetadataPart } from '../../../../src/image/metadata/preserved.ts';
import type { OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { optimize } from '../../../support/engine.ts';
import { ladenLogo, logoNotice } from '../../../support/laden-logo.ts';
import { chunk, plainPicture, withPngChunk } from '../../../support/pictures.ts';
import { animation, metadataOf } from '../formats/pictures.ts';
import { readTiff } from '../metadata/tiff.ts';

type File = Uint8Array<ArrayBuffer>;

const parts = (...names: MetadataPart[]) => new Set(names);

const types = ['jpeg', 'png', 'webp', 'avif'] as const;

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
 exif:GPSLatitude="47,22.6N" photoshop:DateCreated="2021-03-04" photoshop:City="Zürich">
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Property of Ada</rdf:li></rdf:Alt></dc:rights></rdf:Description></rdf:RDF></x:xmpmeta>`;

/** A camera's JPEG, turned, and a JPEG with nothing but XMP. */
const files: Record<'photo' | 'retouched', File> = Object.create(null);
let logo: File;
beforeAll(async () => {
  logo = await ladenLogo();
  const photo = await plainPicture(160, 120)
    .jpeg({ quality: 95 })
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Artist: 'Ada Lovelace', Copyright: 'Property of Ada', Make: 'Analytical' },
      IFD2: {
        DateTimeOriginal: '2015:06:07 08:09:10',
        OffsetTimeOriginal: '+02:00',
        ExposureTime: '1/60',
      },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 36/1' },
    })
    .withXmp(xmp)
    .toBuffer();
  files.photo = Uint8Array.from(photo);
  const retouched = await plainPicture(160, 120).jpeg({ quality: 95 }).withXmp(xmp).toBuffer();
  files.retouched = Uint8Array.from(retouched);
});

function made(file: File, format: OutputType | 'keep', preserved: ReadonlySet<MetadataPart>) {
  const { bytes } = optimize(file, { format, quality: 80, metadata: preserved });
  return bytes;
}

/** Words of each part of the photo, in the form in which they stand there. */
const words = {
  copyright: ['Property of Ada', 'Ada Lovelace'],
  creation: ['2015:06:07 08:09:10', '+02:00'],
  location: [],
} as const;

const names = ['copyright', 'creation', 'location'] as const;
const selections = Array.from({ length: 8 }, (_, bits) =>
  names.filter((_, i) => ((bits >> i) & 1) === 1),
);

/** The directories of a file's EXIF. */
function exifOf(file: Uint8Array) {
  const { exif } = metadataOf(file);
  return exif && readTiff(exif);
}

describe.each(types)('parts of metadata that are preserved in a %s', (type) => {
  it.each(selections)('are %s %s %s and nothing else', async (...selected) => {
    const wanted = selected.filter((name) => name !== undefined);
    const file = Buffer.from(made(files.photo, type, parts(...wanted)));
    for (const name of names) {
      for (const word of words[name]) {
        expect(file.includes(word), word).toBe(wanted.includes(name));
      }
    }
    expect((exifOf(file)?.gps.size ?? 0) > 0).toBe(wanted.includes('location'));
    const read = await sharp(file).metadata();
    const isThere = wanted.length > 0;
    if (!isThere) expect(read.xmp).toBeUndefined();
    for (const secret of ['Analytical', 'Zürich', '2021-03-04', '47,22.6N', '1/60']) {
      expect(file.includes(secret), secret).toBe(false);
    }
    expect(read.orientation ?? 1).toBe(type === 'jpeg' ? 6 : 1);
  });

  it('keep the values that the source has', () => {
    const exif = exifOf(made(files.photo, type, parts(...names)));
    const source = exifOf(files.photo);
    expect(exif?.exif.get(0x9003)?.bytes).toEqual(source?.exif.get(0x9003)?.bytes);
    expect(exif?.exif.get(0x9011)?.bytes).toEqual(source?.exif.get(0x9011)?.bytes);
    expect([...(exif?.exif.keys() ?? [])]).toEqual([0x9003, 0x9011]);
    expect(exif?.gps.get(2)?.bytes).toEqual(source?.gps.get(2)?.bytes);
    expect([...(exif?.gps.keys() ?? [])]).toEqual([...(source?.gps.keys() ?? [])]);
  });

  it('are what XMP says where there is no EXIF', async () => {
    const all = Buffer.from(made(files.retouched, type, parts(...names)));
    for (const word of ['Property of Ada', '2021-03-04', '47,22.6N']) {
      expect(all.includes(word), word).toBe(true);
    }
    expect(all.includes('Zürich')).toBe(false);
    const rights = Buffer.from(made(files.retouched, type, parts('copyright')));
    expect(rights.includes('Property of Ada')).toBe(true);
    // a packet takes hundreds of bytes
    expect((await sharp(rights).metadata()).xmp).toBeUndefined();
    const dates = Buffer.from(made(files.retouched, type, parts('creation')));
    expect([dates.includes('2021-03-04'), dates.includes('47,22.6N')]).toEqual([true, false]);
  });

  it('take few bytes for a notice', () => {
    const plain = made(files.retouched, type, parts()).length;
    const noted = made(files.retouched, type, parts('copyright')).length;
    expect(noted - plain).toBeLessThan(type === 'avif' ? 160 : type === 'png' ? 40 : 80);
  });

  it('stay in a picture of another size', () => {
    const wanted = { format: type, width: 40, quality: 80, metadata: parts('copyright') } as const;
    const { bytes } = optimize(files.photo, wanted);
    expect(Buffer.from(bytes).includes('Property of Ada')).toBe(true);
  });
});

describe('a copyright notice that is preserved', () => {
  const textChunk = (type: string, text: string) =>
    Buffer.from(text, type === 'iTXt' ? 'utf8' : 'latin1');
  const png = async (type: string, text: string) => {
    const file = await plainPicture(60, 40).png().toBuffer();
    return Uint8Array.from(withPngChunk(file, type, textChunk(type, text)));
  };

  it('is that of a text in a PNG, which stays one', { tags: 'slow' }, async () => {
    const file = await png('tEXt', 'Copyright\0© Ada');
    const kept = Buffer.from(made(file, 'keep', parts('copyright')));
    expect(kept.includes(chunk('tEXt', textChunk('tEXt', 'Copyright\0© Ada')))).toBe(true);
    const gone = Buffer.from(made(file, 'keep', parts('location', 'creation')));
    expect(gone.includes('Copyright')).toBe(false);
    for (const level of ['none', 'copyright', 'all'] as const) {
      const { bytes } = optimize(file, { metadata: level });
      expect(Buffer.from(bytes).includes('Copyright'), level).toBe(false);
    }
  });

  it('goes from such a text into EXIF, and back', async () => {
    const file = await png('iTXt', 'Copyright\0\0\0\0\0Ада, 2026');
    const webp = made(file, 'webp', parts('copyright'));
    expect(exifOf(webp)?.ifd0.get(0x8298)?.bytes.toString()).toBe('Ада, 2026\0');
    const back = Buffer.from(made(webp, 'png', parts('copyright')));
    const text = textChunk('iTXt', 'Copyright\0\0\0\0\0Ада, 2026');
    expect(back.includes(chunk('iTXt', text))).toBe(true);
    expect(metadataOf(back).exif).toBeNull();
  });

  it('stays in an animation', { tags: 'slow' }, async () => {
    const file = Uint8Array.from(
      await animation().withXmp(xmp).webp({ lossless: true }).toBuffer(),
    );
    for (const format of ['webp', 'png', 'gif'] as const) {
      const bytes = Buffer.from(made(file, format, parts('copyright')));
      expect(bytes.includes('Property of Ada'), format).toBe(true);
      expect(bytes.includes('47,22.6N'), format).toBe(false);
    }
  });
});

describe('a logo with far more metadata than picture', () => {
  const lengthOf = (wanted: Partial<OptimizeOptions>) =>
    optimize(logo, { quality: 70, ...wanted }).bytes.length;
  const small = { width: 50, height: 20 } as const;
  const copyright = { metadata: parts('copyright') } as const;
  const flat = { background: [255, 255, 255], flattens: true } as const;

  it('has the bytes that it is about', () => {
    expect(logo).toHaveLength(17_150);
  });

  it.each<[string, Partial<OptimizeOptions>, number, number]>([
    ['as it is', {}, 1000, 1500],
    ['reduced', small, 500, 1000],
    ['with its notice', copyright, 1000, 2000],
    ['reduced with its notice', { ...small, ...copyright }, 500, 1150],
    ['on a background', flat, 900, 2000],
  ])('becomes a short PNG %s', (_, wanted, least, most) => {
    const { type, bytes } = optimize(logo, { quality: 70, ...wanted });
    expect(type).toBe('png');
    expect(bytes.length).toBeGreaterThan(least);
    expect(bytes.length).toBeLessThan(most);
    const isNoted = wanted.metadata !== undefined;
    expect(Buffer.from(bytes).includes(logoNotice)).toBe(isNoted);
  });

  it('becomes a WebP that is shorter', () => {
    expect(lengthOf({ format: 'webp' })).toBeLessThan(lengthOf({}));
    const noted = optimize(logo, { quality: 70, format: 'webp', ...copyright });
    expect(Buffer.from(noted.bytes).includes(logoNotice)).toBe(true);
  });

  it('pays for its notice with the words and the chunk that they stand in', () => {
    const chunkBytes = 12 + 'Copyright\0'.length + logoNotice.length;
    expect(lengthOf(copyright) - lengthOf({})).toBe(chunkBytes);
  });
});

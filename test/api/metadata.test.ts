import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture, withPngChunk } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const formats = ['jpeg', 'png', 'webp', 'avif'] as const;
const corpus = process.env.CORPUS ?? '';

const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/"
  exif:GPSLatitude="47,22.6N"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">All rights: Ada</rdf:li></rdf:Alt></dc:rights>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

let service: TestService;
let tagged: Buffer;
beforeAll(async () => {
  service = await sharedTestService();
  tagged = await plainPicture(160, 120)
    .jpeg({ quality: 95 })
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Artist: 'Ada Lovelace', Copyright: 'Property of Ada', Make: 'Analytical' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '47/1 22/1 36/1' },
    })
    .withXmp(xmp)
    .toBuffer();
});
afterAll(() => service.close());

/** All metadata of a file, as found by an independent reader, and as plain bytes. */
async function metadataOf(file: Uint8Array) {
  const { exif, xmp: packet, iptc, orientation } = await sharp(file).metadata();
  return {
    exif: exif?.toString('latin1') ?? '',
    xmp: packet?.toString('utf8') ?? '',
    iptc: iptc?.toString('latin1') ?? '',
    orientation: orientation ?? 1,
  };
}

async function result(query: string, file = tagged): Promise<Buffer> {
  return expectPicture(await service.optimize(Uint8Array.from(file), query));
}

describe('metadata=none', () => {
  itForEach(formats, 'leaves nothing in %s but the turn that a viewer needs', async (format) => {
    const file = await result(`?format=${format}`);
    const { exif, xmp: packet, iptc, orientation } = await metadataOf(file);
    expect([packet, iptc]).toEqual(['', '']);
    expect(orientation).toBe(format === 'jpeg' ? 6 : 1);
    // "Exif\0\0", a TIFF header and one entry.
    expect(exif.length).toBeLessThanOrEqual(format === 'jpeg' ? 32 : 0);
    for (const secret of ['Ada', 'Analytical', 'GPS', '47,22']) {
      expect(file.includes(secret), secret).toBe(false);
    }
  });

  it('is what happens when nothing is said', async () => {
    expect(await result('')).toEqual(await result('?metadata=none'));
  });
});

describe('metadata=copyright', () => {
  it.each(formats)('keeps who made it and who owns it in %s, and not where', async (format) => {
    const file = await result(`?format=${format}&metadata=copyright`);
    const { exif, xmp: packet, orientation } = await metadataOf(file);
    expect(exif).toContain('Ada Lovelace');
    expect(exif).toContain('Property of Ada');
    expect(packet).toContain('All rights: Ada');
    expect(orientation).toBe(format === 'jpeg' ? 6 : 1);
    for (const secret of ['Analytical', '47,22', 'GPSLatitude']) {
      expect(file.includes(secret), secret).toBe(false);
    }
  });

  it('adds nothing where there is nothing', async () => {
    const bare = await plainPicture(80, 60).jpeg({ quality: 95 }).toBuffer();
    expect(await result('?metadata=copyright', bare)).toEqual(await result('', bare));
  });
});

describe('metadata=all', () => {
  it.each(formats)('keeps EXIF and XMP in %s, upright where its pixels are', async (format) => {
    const {
      exif,
      xmp: packet,
      orientation,
    } = await metadataOf(await result(`?format=${format}&metadata=all`));
    for (const kept of ['Ada Lovelace', 'Analytical']) expect(exif).toContain(kept);
    expect(packet).toContain('47,22.6N');
    expect(orientation).toBe(format === 'jpeg' ? 6 : 1);
  });

  it.each(formats)('keeps them in a %s that stays what it is', async (format) => {
    const source = await plainPicture(90, 70)
      .toFormat(format, { quality: 60 })
      .withExif({ IFD0: { Artist: 'Ada Lovelace', Software: 'Engine' } })
      .withXmp(xmp)
      .toBuffer();
    for (const query of ['?metadata=all', '?metadata=all&width=40']) {
      const { exif, xmp: packet } = await metadataOf(await result(query, source));
      for (const kept of ['Ada Lovelace', 'Engine']) expect(exif, query).toContain(kept);
      expect(packet, query).toContain('47,22.6N');
    }
  });
});

describe('metadata that take more room as they are written here', () => {
  it('never make a picture grow: under all it comes back as it was', async () => {
    const plain = await plainPicture(40, 30).png().toBuffer();
    const smallest = await result('', plain);
    const padded = deflateSync(Buffer.from(xmp + ' '.repeat(20_000)));
    const head = Buffer.from('XML:com.adobe.xmp\0\0', 'latin1');
    const file = withPngChunk(smallest, 'zTXt', Buffer.concat([head, padded]));
    expect(await result('?metadata=all', file)).toEqual(file);
    const rights = await result('?metadata=copyright', file);
    expect(rights.length).toBeLessThanOrEqual(file.length);
  });
});

describe.runIf(corpus)('photos of cameras', { tags: 'slow' }, () => {
  const folder = join(corpus, 'photos');
  const small = ['HP PhotoSmart C812.jpg', 'HTC One.jpg'];

  it.each(small)('%s sheds all under none and keeps EXIF under all', async (name) => {
    expect(readdirSync(folder)).toContain(name);
    const photo = readFileSync(join(folder, name));
    const { exif: before } = await metadataOf(photo);
    const make = /Hewlett-Packard|HTC/.exec(before)?.[0] ?? '';
    expect(make).not.toBe('');
    for (const format of formats) {
      const query = `?format=${format}&width=320`;
      const none = await metadataOf(await result(query, photo));
      expect([none.xmp, none.iptc]).toEqual(['', '']);
      expect(none.exif.length).toBeLessThanOrEqual(32);
      const all = await metadataOf(await result(`${query}&metadata=all`, photo));
      expect(all.exif).toContain(make);
    }
  });
});

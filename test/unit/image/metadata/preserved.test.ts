import { describe, expect, it } from 'vitest';
import { carriedMetadata } from '../../../../src/image/metadata/carried.ts';
import { type Metadata, noMetadata, type Shown } from '../../../../src/image/metadata/metadata.ts';
import type { MetadataPart } from '../../../../src/image/metadata/preserved.ts';
import { dataset, packet, upright, utf8, xmlOf } from './carried-blocks.ts';
import { readTiff, short, tiff, undefinedBytes } from './tiff.ts';

function preserved(
  source: Partial<Metadata>,
  parts: readonly MetadataPart[],
  shown: Partial<Shown> = {},
): Metadata {
  const wanted = { ...upright, ...shown };
  return carriedMetadata({ ...noMetadata, ...source }, new Set(parts), wanted);
}

/** A notice in XMP, and what else is in there. */
function rights(notice: string, attributes = '', elements = ''): Uint8Array {
  const alternatives = `<rdf:Alt><rdf:li xml:lang="de">Rechte</rdf:li><rdf:li xml:lang="x-default">${notice}</rdf:li></rdf:Alt>`;
  return packet(attributes, `<dc:rights>${alternatives}</dc:rights>${elements}`);
}

const bytesOf = (text: string) => ({ type: 2, bytes: utf8(text) });

/** Tag to text of a directory. */
function textsOf(directory: ReturnType<typeof readTiff>['ifd0']): Record<number, string> {
  return Object.fromEntries([...directory].map(([tag, { bytes }]) => [tag, bytes.toString()]));
}

function read(exif: Uint8Array | null) {
  if (!exif) throw new Error('no block');
  return readTiff(exif);
}

const rational = (order: 'II' | 'MM', ...numbers: number[]) => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) {
    if (order === 'II') bytes.writeUInt32LE(number, 4 * i);
    else bytes.writeUInt32BE(number, 4 * i);
  }
  return { type: 5, bytes: Uint8Array.from(bytes) };
};

function photo(order: 'II' | 'MM'): Uint8Array {
  return tiff({
    order,
    ifd0: { 271: 'Engines', 274: short(6, order), 315: 'Ada Lovelace', 33432: '© Ada' },
    exif: {
      36867: '2015:06:07 08:09:10',
      36868: '2015:06:07 08:09:11',
      36880: '+01:00',
      36881: '+02:00',
      37521: '12',
      37500: undefinedBytes(new Uint8Array(50).fill(7)),
    },
    gps: {
      1: 'N',
      2: rational(order, 47, 1, 22, 1, 36, 1),
      29: '2015:06:07',
      34665: 'not of GPS',
    },
    ifd1: { 259: short(6, order), 315: 'Thumbnail artist' },
    thumbnail: new Uint8Array(100).fill(0xaa),
  });
}

describe('parts of EXIF', () => {
  it.each(['II', 'MM'] as const)(
    'are copied from a %s block into one of its byte order',
    (order) => {
      const exif = photo(order);
      const all = preserved({ exif }, ['copyright', 'creation', 'location']);
      const found = read(all.exif);
      expect(Buffer.from(all.exif ?? []).toString('latin1', 0, 2)).toBe(order);
      expect(textsOf(found.exif)).toEqual({
        36867: '2015:06:07 08:09:10\0',
        36868: '2015:06:07 08:09:11\0',
        36881: '+02:00\0',
        37521: '12\0',
      });
      expect([...found.gps.keys()]).toEqual([1, 2, 0x1d]);
      expect(found.gps.get(2)).toMatchObject({ type: 5, bytes: readTiff(exif).gps.get(2)?.bytes });
      expect([...found.ifd0.keys()]).toEqual([315, 33432, 0x8769, 0x8825]);
      expect(found.ifd1).toBeNull();
      expect([all.xmp, all.iptc, all.texts]).toEqual([null, null, undefined]);
    },
  );

  it('are none but those that are selected', () => {
    const exif = photo('II');
    const directories = (...parts: MetadataPart[]) => {
      const block = preserved({ exif }, parts).exif;
      if (!block) return null;
      const found = readTiff(block);
      return [found.ifd0.has(33432), found.exif.size > 0, found.gps.size > 0];
    };
    expect(directories()).toBeNull();
    expect(directories('copyright')).toEqual([true, false, false]);
    expect(directories('creation')).toEqual([false, true, false]);
    expect(directories('location')).toEqual([false, false, true]);
    expect(directories('creation', 'location')).toEqual([false, true, true]);
  });

  it('stand beside the orientation that a result needs', () => {
    const exif = photo('MM');
    for (const parts of [[], ['copyright'], ['location']] as const) {
      const { ifd0 } = read(preserved({ exif }, parts, { orientation: 8 }).exif);
      expect(ifd0.get(0x112)).toMatchObject({ type: 3, number: 8 });
      expect([...ifd0.keys()].toSorted((a, b) => a - b)).toEqual([...ifd0.keys()]);
    }
  });

  it('say nothing where a clock was never set, or GPS has nothing but a version', () => {
    for (const date of ['    :  :     :  :  ', '0000:00:00 00:00:00', '']) {
      const exif = tiff({ ifd0: {}, exif: { 36867: bytesOf(date), 37521: '12' } });
      expect(preserved({ exif }, ['creation'])).toEqual(noMetadata);
    }
    const version = { type: 1, bytes: Uint8Array.of(2, 3, 0, 0) };
    const exif = tiff({ ifd0: {}, gps: { 0: version } });
    expect(preserved({ exif }, ['location'])).toEqual(noMetadata);
  });

  it('never fill more than a JPEG segment', () => {
    const long = 'x'.repeat(8000);
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, tag) => [tag + 4, long]));
    const source = {
      exif: tiff({ ifd0: { 315: long, 33432: `${long}y` }, gps: { 1: 'N', ...many } }),
      xmp: rights('z'.repeat(8100)),
    };
    const { exif } = preserved(source, ['copyright', 'location']);
    expect(exif?.length).toBeLessThan(65_000);
    expect(read(exif).ifd0.has(33432)).toBe(true);
  });
});

describe('a notice', () => {
  const exif = tiff({ ifd0: { 315: 'Ada', 33432: '© Ada' } });
  const iptc = Uint8Array.of(...dataset(2, 80, 'Ada'), ...dataset(2, 116, '© Ada'));
  const texts = { notice: '© Ada', author: 'Ada' };
  const creator = '<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>';
  const xmp = rights('© Ada', 'xmpRights:Marked="True"', creator);

  it.each<[string, Partial<Metadata>]>([
    ['EXIF', { exif }],
    ['XMP', { xmp }],
    ['IPTC', { iptc }],
    ['texts', { texts }],
    ['all of them', { exif, xmp, iptc, texts }],
  ])('of %s becomes a text, or EXIF, or XMP where there is nothing else', (_, source) => {
    const text = preserved(source, ['copyright'], { noticesIn: 'text' });
    expect(text).toEqual({ ...noMetadata, texts });
    const { exif: block, ...others } = preserved(source, ['copyright']);
    expect(textsOf(read(block).ifd0)).toEqual({ 315: 'Ada\0', 33432: '© Ada\0' });
    expect(others).toEqual({ xmp: null, iptc: null });
    const inXmp = preserved(source, ['copyright'], { noticesIn: 'xmp' });
    expect([inXmp.exif, inXmp.iptc, inXmp.texts]).toEqual([null, null, undefined]);
    expect(xmlOf(inXmp.xmp ?? new Uint8Array())).toContain('© Ada</rdf:li>');
  });

  it('is joined from those that differ, but for one that is part of another', () => {
    const noticeOf = (source: Partial<Metadata>) =>
      preserved(source, ['copyright'], { noticesIn: 'text' }).texts?.notice;
    expect(noticeOf({ exif, xmp: rights('Voormedia') })).toBe('© Ada; Voormedia');
    expect(noticeOf({ exif, xmp: rights('© Ada, 2026') })).toBe('© Ada, 2026');
    expect(noticeOf({ exif: tiff({ ifd0: { 33432: 'Ada\0Charles' } }) })).toBe('Ada; Charles');
    expect(noticeOf({ xmp: rights('  ') })).toBe('Rechte');
  });

  it('keeps the bytes of EXIF that say all', () => {
    for (const bytes of [utf8('Ada\0Charles\0'), Uint8Array.of(0xa9, 0x20, 0x41, 0)]) {
      const source = { exif: tiff({ ifd0: { 33432: { type: 2, bytes } } }) };
      const { ifd0 } = read(preserved(source, ['copyright']).exif);
      expect(ifd0.get(33432)?.bytes).toEqual(Buffer.from(bytes));
    }
    const both = { exif: tiff({ ifd0: { 33432: 'Ada\0Charles' } }), xmp: rights('Voormedia') };
    const { ifd0 } = read(preserved(both, ['copyright']).exif);
    expect(ifd0.get(33432)?.bytes.toString()).toBe('Ada; Charles; Voormedia\0');
  });

  it('leaves to XMP what nothing else has a place for', () => {
    const terms =
      'xmpRights:Marked="True" xmpRights:WebStatement="https://ada.example" exif:GPSLatitude="47,22N"';
    for (const noticesIn of ['text', 'exif'] as const) {
      const source = { xmp: rights('Voormedia', terms) };
      const { xmp: left } = preserved(source, ['copyright'], { noticesIn });
      const xml = xmlOf(left ?? new Uint8Array());
      expect(xml).toContain('xmpRights:WebStatement="https://ada.example"');
      for (const word of ['Voormedia', 'Marked', 'GPS']) expect(xml).not.toContain(word);
    }
    const marked = packet('xmpRights:Marked="True"');
    expect(xmlOf(preserved({ xmp: marked }, ['copyright']).xmp ?? new Uint8Array())).toContain(
      'xmpRights:Marked="True"',
    );
  });
});

describe('dates and places of XMP', () => {
  const xmp = packet(
    'xmp:CreateDate="2021-03-04T05:06:07" xmp:ModifyDate="2022-01-01" photoshop:City="Bern" exif:GPSLatitude="47,22N" exif:Flash="1"',
    '<exif:DateTimeOriginal>2021-03-04</exif:DateTimeOriginal><photoshop:DateCreated>2021</photoshop:DateCreated>',
  );
  const xmlFor = (source: Partial<Metadata>, parts: readonly MetadataPart[], shown = {}) => {
    const { xmp: made } = preserved(source, parts, shown);
    return made && xmlOf(made);
  };

  it('are kept where EXIF says none', () => {
    const dates = xmlFor({ xmp }, ['creation']) ?? '';
    for (const name of ['xmp:CreateDate=', 'exif:DateTimeOriginal>', 'photoshop:DateCreated>']) {
      expect(dates).toContain(name);
    }
    const place = xmlFor({ xmp }, ['location']) ?? '';
    expect(place).toContain('exif:GPSLatitude="47,22N"');
    for (const word of ['ModifyDate', 'City', 'Flash']) {
      expect([dates.includes(word), place.includes(word)]).toEqual([false, false]);
    }
    expect([dates.includes('GPS'), place.includes('2021')]).toEqual([false, false]);
  });

  it('make way for those of EXIF, unless it has no place', () => {
    const exif = photo('II');
    expect(xmlFor({ exif, xmp }, ['creation', 'location'])).toBeNull();
    const onlyPlace = tiff({ ifd0: {}, gps: { 1: 'N' } });
    expect(xmlFor({ exif: onlyPlace, xmp }, ['creation', 'location'])).toContain('2021-03-04');
    const inXmp = { noticesIn: 'xmp' } as const;
    expect(xmlFor({ exif, xmp }, ['creation', 'location'], inXmp)).toContain('47,22N');
  });
});

describe('parts of damaged blocks', () => {
  it('are nothing', () => {
    const broken = { exif: utf8('II*\0nothing'), xmp: utf8('<x:xmpmeta'), iptc: utf8('???') };
    for (const noticesIn of ['text', 'exif', 'xmp'] as const) {
      const parts = ['copyright', 'creation', 'location'] as const;
      expect(preserved(broken, parts, { noticesIn })).toEqual(noMetadata);
    }
  });

  it('are nothing of nothing', () => {
    expect(preserved({}, ['copyright', 'creation', 'location'])).toEqual(noMetadata);
    expect(preserved({ exif: photo('II'), xmp: rights('Ada') }, [])).toEqual(noMetadata);
  });
});

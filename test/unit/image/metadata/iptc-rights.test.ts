import { describe, expect, it } from 'vitest';
import { carriedMetadata } from '../../../../src/image/metadata/carried.ts';
import { noMetadata } from '../../../../src/image/metadata/metadata.ts';
import { dataset, packet, upright, utf8, xmlOf } from './carried-blocks.ts';

const isUtf8 = dataset(1, 90, '\x1b%G');
const city = dataset(2, 90, 'Zürich');
const byline = dataset(2, 80, 'Ada');
const noPlace = { ...upright, holdsIptc: false };

function iptc(...datasets: Uint8Array[]): Uint8Array {
  return Uint8Array.from(datasets.flatMap((bytes) => [...bytes]));
}

function kept(block: Uint8Array): Uint8Array | null {
  return carriedMetadata({ ...noMetadata, iptc: block }, 'copyright', upright).iptc;
}

/** What goes over into XMP. */
function asXmp(
  block: Uint8Array,
  xmp: Uint8Array | null = null,
  level: 'copyright' | 'all' = 'copyright',
) {
  const carried = carriedMetadata({ ...noMetadata, iptc: block, xmp }, level, noPlace);
  expect(carried.iptc).toBeNull();
  return carried.xmp && xmlOf(carried.xmp);
}

describe('IPTC under copyright', () => {
  it('keeps who made it, who has to be credited and who owns it', () => {
    const rights = [80, 80, 85, 110, 115, 116].map((number) =>
      dataset(2, number, `says ${number}`),
    );
    const block = iptc(
      isUtf8,
      city,
      ...rights.slice(0, 3),
      dataset(2, 120, 'A lake'),
      ...rights.slice(3),
    );
    expect(kept(block)).toEqual(iptc(isUtf8, ...rights));
  });

  it('is nothing when it says nothing of rights', () => {
    expect(kept(iptc(isUtf8, city, dataset(2, 80, ''), dataset(2, 116, '  ')))).toBeNull();
    expect(kept(new Uint8Array())).toBeNull();
  });

  it('reads extended datasets and padding', () => {
    const extended = Uint8Array.of(0x1c, 2, 116, 0x80, 4, 0, 0, 0, 3, ...utf8('Ada'));
    expect(kept(iptc(city, extended, new Uint8Array(5)))).toEqual(extended);
  });

  it.each([
    ['cut', iptc(byline, city).subarray(0, -1)],
    ['followed by something else', iptc(byline, utf8('more'))],
    ['with something after its padding', iptc(byline, Uint8Array.of(0, 0, 1))],
    ['with a length of unheard-of length', iptc(byline, Uint8Array.of(0x1c, 2, 80, 0x80, 9, 0))],
  ])('is nothing when the block is %s', (_, block) => {
    expect(kept(block)).toBeNull();
  });

  it('stays within a JPEG segment however much there is', () => {
    const many = iptc(...Array.from({ length: 100 }, () => dataset(2, 80, 'a'.repeat(8000))));
    expect(kept(many)).toHaveLength(4 * 8005);
    expect(kept(dataset(2, 116, 'a'.repeat(8193)))).toBeNull();
  });
});

describe('IPTC under all', () => {
  it('stays as it is, also where its form is unknown', () => {
    for (const block of [iptc(isUtf8, city, byline), utf8('no datasets')]) {
      expect(carriedMetadata({ ...noMetadata, iptc: block }, 'all', upright).iptc).toBe(block);
    }
  });
});

describe('IPTC for a container without a place for it', () => {
  const block = iptc(
    isUtf8,
    byline,
    dataset(2, 80, 'Čharles'),
    dataset(2, 110, 'A & <B>'),
    dataset(2, 116, '© Ada'),
    city,
  );
  const creators = '<rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Čharles</rdf:li></rdf:Seq></dc:creator>';
  const notice = '<rdf:Alt><rdf:li xml:lang="x-default">© Ada</rdf:li></rdf:Alt></dc:rights>';
  const credit = '>A &amp; &lt;B&gt;</photoshop:Credit>';

  it.each(['copyright', 'all'] as const)('becomes a packet of its rights under %s', (level) => {
    const xml = asXmp(block, null, level);
    for (const said of [creators, notice, credit]) expect(xml).toContain(said);
    expect(xml).not.toContain('Zürich');
  });

  it.each(['copyright', 'all'] as const)('fills in what the packet lacks under %s', (level) => {
    const own =
      '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Own notice</rdf:li></rdf:Alt></dc:rights>';
    const xml = asXmp(block, packet('photoshop:Credit="Own credit" xmp:Rating="5"', own), level);
    expect(xml).toContain(own);
    expect(xml).toContain(creators);
    expect(xml).toContain('photoshop:Credit="Own credit"');
    expect(xml).not.toMatch(/© Ada|A &amp;/);
    expect(xml?.includes('xmp:Rating="5"')).toBe(level === 'all');
  });

  it('changes nothing of a packet that says it all', () => {
    const xmp = packet(
      'photoshop:Credit="C"',
      '<dc:rights>R</dc:rights><dc:creator>A</dc:creator>',
    );
    expect(carriedMetadata({ ...noMetadata, iptc: block, xmp }, 'all', noPlace).xmp).toBe(xmp);
  });

  it('takes the place of a packet that had to go', () => {
    const xmp = packet('xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/" g:Version="1.0"');
    expect(asXmp(block, xmp, 'all')).toContain(creators);
    const damaged = utf8('<a xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/">');
    expect(asXmp(block, damaged, 'all')).toContain(notice);
  });

  it('is nothing where it says nothing of rights', () => {
    expect(asXmp(iptc(isUtf8, city))).toBeNull();
    expect(asXmp(iptc(byline).subarray(0, -1))).toBeNull();
  });

  it('is read as UTF-8 when it says so or is, and as ISO 8859-1 otherwise', () => {
    const latin1 = dataset(2, 80, Uint8Array.of(0xc1, 0x64, 0x61));
    expect(asXmp(latin1)).toContain('<rdf:li>Áda</rdf:li>');
    expect(asXmp(dataset(2, 80, 'Áda'))).toContain('<rdf:li>Áda</rdf:li>');
    // cut in the middle of a character, as the standard's 32 bytes do
    expect(asXmp(iptc(isUtf8, dataset(2, 80, utf8('ÁdÁ').subarray(0, 4))))).toContain(
      '<rdf:li>Ád\ufffd</rdf:li>',
    );
  });

  it('loses characters that XML cannot hold', () => {
    expect(asXmp(dataset(2, 80, 'A\u0001d\ufffea\0'))).toContain('<rdf:li>Ada</rdf:li>');
  });
});

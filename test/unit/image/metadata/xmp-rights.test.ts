import { describe, expect, it } from 'vitest';
import { carriedXml, packet, utf8 } from './carried-blocks.ts';

const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';

describe('XMP under copyright', () => {
  it('keeps rights in the form of attributes', () => {
    const xmp = packet(
      'xmpRights:Marked="True" photoshop:Credit="A &amp; &quot;B&quot;" xmp:CreatorTool="Engine" exif:GPSLatitude="47,22N"',
    );
    expect(carriedXml(xmp, 'copyright')).toBe(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}><rdf:Description rdf:about="" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmpRights:Marked="True" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="A &amp; &quot;B&quot;"/></rdf:RDF></x:xmpmeta>`,
    );
  });

  it('keeps rights in the form of elements, with languages and order', () => {
    const rights =
      '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">All rights: Ada</rdf:li><rdf:li xml:lang="de">Alle Rechte: Ada</rdf:li></rdf:Alt></dc:rights>';
    const creator =
      '<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Ćharles</rdf:li></rdf:Seq></dc:creator>';
    const subject = '<dc:subject><rdf:Bag><rdf:li>private</rdf:li></rdf:Bag></dc:subject>';
    expect(carriedXml(packet('', `${rights}${subject}${creator}`), 'copyright')).toBe(
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">${rights}${creator}</rdf:Description></rdf:RDF></x:xmpmeta>`,
    );
  });

  it.each([
    '<xmpRights:UsageTerms><rdf:Alt><rdf:li xml:lang="x-default">Ask</rdf:li></rdf:Alt></xmpRights:UsageTerms>',
    '<xmpRights:WebStatement>https://example.org/terms</xmpRights:WebStatement>',
    '<xmpRights:Owner><rdf:Bag><rdf:li>Ada</rdf:li></rdf:Bag></xmpRights:Owner>',
    '<xmpRights:Certificate>https://example.org/proof</xmpRights:Certificate>',
    '<cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>',
    '<cc:attributionName>Ada</cc:attributionName>',
    '<plus:Licensor><rdf:Seq><rdf:li rdf:parseType="Resource"><plus:LicensorURL>https://example.org</plus:LicensorURL></rdf:li></rdf:Seq></plus:Licensor>',
    '<plus:Licensor><rdf:Seq><rdf:li plus:LicensorURL="https://example.org"/></rdf:Seq></plus:Licensor>',
    '<plus:DataMining>http://ns.useplus.org/ldf/vocab/DMI-PROHIBITED</plus:DataMining>',
  ])('keeps %s', (property) => {
    expect(carriedXml(packet('', property), 'copyright')).toContain(property);
  });

  it.each([
    ['', '<tiff:Artist>Ada</tiff:Artist>'],
    ['xmp:Rating="5" exif:GPSLongitude="8,32E"', '<dc:title>Lake</dc:title>'],
    [
      'xmpRights:Marked=" "',
      '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default"/></rdf:Alt></dc:rights>',
    ],
    // a prefix that is usual for rights, but not the namespace
    ['', '<dc:rights xmlns:dc="https://example.org/other/">mine</dc:rights>'],
    // not of the picture itself
    [
      '',
      '<xmp:History><rdf:Description><dc:rights>an ingredient</dc:rights></rdf:Description></xmp:History>',
    ],
    ['', `<dc:rights>${'a'.repeat(9000)}</dc:rights>`],
  ])('is nothing where %s%s says nothing of rights', (attributes, elements) => {
    expect(carriedXml(packet(attributes, elements), 'copyright')).toBeNull();
  });

  it('knows namespaces by their URI, whatever the prefix', () => {
    const xmp = utf8(
      `<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Description xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:about="" xmlns:q="http://ns.adobe.com/xap/1.0/rights/" q:Marked="True"><rights xmlns="http://purl.org/dc/elements/1.1/">Ada</rights></Description></RDF>`,
    );
    const xml = carriedXml(xmp, 'copyright');
    expect(xml).toContain('xmpRights:Marked="True"');
    expect(xml).toContain('<rights xmlns="http://purl.org/dc/elements/1.1/">Ada</rights>');
  });

  it('leaves out what is of another schema within what it keeps', () => {
    const xmp = packet(
      '',
      `<dc:creator xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22N"><rdf:Seq>
        <rdf:li rdf:parseType="Resource"><rdf:value>Ada</rdf:value><exif:GPSLongitude>8,33E</exif:GPSLongitude></rdf:li>
      </rdf:Seq></dc:creator>`,
    );
    const xml = carriedXml(xmp, 'copyright');
    expect(xml).toContain('<rdf:value>Ada</rdf:value>');
    for (const secret of ['47,22N', '8,33E', 'GPS']) expect(xml).not.toContain(secret);
  });

  it('leaves out remarks within what it keeps', () => {
    const xml = carriedXml(
      packet('', '<dc:rights>A<!-- secret --><?also secret?>da</dc:rights>'),
      'copyright',
    );
    expect(xml).toContain('<dc:rights>Ada</dc:rights>');
  });

  it('keeps the first of a property that stands twice', () => {
    const xml = carriedXml(
      packet('photoshop:Credit="one"', '<photoshop:Credit>two</photoshop:Credit>'),
      'copyright',
    );
    expect([xml?.includes('one'), xml?.includes('two')]).toEqual([true, false]);
  });

  it('stays within a JPEG segment however much there is', () => {
    const names = ['WebStatement', 'UsageTerms', 'Owner', 'Certificate', 'Marked'];
    const many = names.map((name) => `<xmpRights:${name}>${'ü'.repeat(4000)}</xmpRights:${name}>`);
    const xml = carriedXml(packet('', many.join('')), 'copyright');
    expect(xml?.length).toBeGreaterThan(16_000);
    expect(utf8(xml ?? '').length).toBeLessThan(34_000);
  });

  it.each([
    ['not well-formed', '<dc:rights>Ada</dc:right>'],
    ['of an unknown prefix', '<dc:rights>Ada</dc:rights><unknown:a/>'],
    ['with control characters', '<dc:rights>Ada\u0007</dc:rights>'],
    ['with control characters in disguise', '<dc:rights>Ada&#7;</dc:rights>'],
    ['with an entity', '<dc:rights>&ada;</dc:rights>'],
  ])('is nothing when the packet is %s', (_, elements) => {
    expect(carriedXml(packet('', elements), 'copyright')).toBeNull();
  });

  it('is nothing when the packet has a document type, is not UTF-8 or too large', () => {
    const good = packet('photoshop:Credit="Ada"');
    expect(carriedXml(good, 'copyright')).toContain('Ada');
    const type = utf8('<!DOCTYPE a [<!ENTITY b "c">]>');
    expect(carriedXml(Uint8Array.of(...type, ...good), 'copyright')).toBeNull();
    expect(
      carriedXml(
        packet('photoshop:Credit="Ada" ', '\u00e9').map((b) => (b === 0xc3 ? 0x20 : b)),
        'copyright',
      ),
    ).toBeNull();
    expect(
      carriedXml(packet('photoshop:Credit="Ada"', ' '.repeat(256 * 1024)), 'copyright'),
    ).toBeNull();
    expect(carriedXml(utf8('<a/>'), 'copyright')).toBeNull();
    expect(carriedXml(new Uint8Array(), 'copyright')).toBeNull();
  });

  it('reads a packet that ends with NULs', () => {
    const ended = Uint8Array.of(...packet('photoshop:Credit="Ada"'), 0, 0);
    expect(carriedXml(ended, 'copyright')).toContain('photoshop:Credit="Ada"');
  });
});

import { describe, expect, it } from 'vitest';
import {
  gainMapInDirectory,
  gainMapPacket,
  readGainMapProperties,
  readIsoStatement,
  withGainMapDirectory,
} from '../../../../src/image/metadata/gain-map.ts';
import { isoMetadata, usualIso } from '../../../support/ultra-hdr.ts';

const hdrgm = 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"';
const least = 'hdrgm:Version="1.0" hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2"';

function packet(attributes: string, elements = ''): Uint8Array {
  return new TextEncoder().encode(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${attributes}>${elements}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  );
}

function read(attributes: string, elements = '', declaration = hdrgm) {
  const properties = readGainMapProperties(packet(`${declaration} ${attributes}`, elements));
  return properties && Object.fromEntries(properties);
}

const expected = { Version: ['1.0'], GainMapMax: ['2'], HDRCapacityMax: ['2'] };

describe('properties of a gain map', () => {
  it('are attributes or elements, under whatever prefix', () => {
    expect(read(least)).toEqual(expected);
    const asElements = '<hdrgm:Version> 1.0 </hdrgm:Version><hdrgm:GainMapMax>2</hdrgm:GainMapMax>';
    expect(read('hdrgm:HDRCapacityMax="2"', asElements)).toEqual(expected);
    const other = hdrgm.replace('hdrgm', 'g');
    expect(read(least.replaceAll('hdrgm', 'g'), '', other)).toEqual(expected);
    expect(read(least, '', 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/2.0/"')).toBeNull();
  });

  it('may have a value for each channel', () => {
    const list = (...values: string[]) =>
      `<hdrgm:Gamma><rdf:Seq>${values.map((value) => `<rdf:li>${value}</rdf:li>`).join('')}</rdf:Seq></hdrgm:Gamma>`;
    expect(read(least, list('1', '.5', '-2.5e-1'))).toMatchObject({
      Gamma: ['1', '.5', '-2.5e-1'],
    });
    expect(read(least, list('1'))).toMatchObject({ Gamma: ['1'] });
    expect(read(least, list('1', '2'))).toBeNull();
    expect(read(least, list())).toBeNull();
    const capacity = list('1', '2', '3').replaceAll('Gamma', 'HDRCapacityMin');
    expect(read(least, capacity)).toBeNull();
  });

  it.each(['NaN', '', '1,5', 'Infinity', '1 2', `${'1'.repeat(41)}`, '1e9999'])(
    'are numbers, which "%s" is not',
    (text) => {
      expect(read(`${least} hdrgm:Gamma="${text}"`)).toBeNull();
    },
  );

  it('are none where one that is needed is missing, or of another version', () => {
    for (const name of ['Version', 'GainMapMax', 'HDRCapacityMax']) {
      expect(read(least.replace(new RegExp(`hdrgm:${name}="[^"]*"`), ''))).toBeNull();
    }
    expect(read(least.replace('1.0', '1.1'))).toBeNull();
  });

  it('come back from the packet that is written of them', () => {
    const attributes = `${least} hdrgm:BaseRenditionIsHDR="True" hdrgm:OffsetSDR="0.015625"`;
    const seq = '<rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:li>3</rdf:li></rdf:Seq>';
    const source = packet(`${hdrgm} ${attributes}`, `<hdrgm:GainMapMin>${seq}</hdrgm:GainMapMin>`);
    const properties = readGainMapProperties(source);
    expect(properties?.size).toBe(6);
    expect(properties && readGainMapProperties(gainMapPacket(properties))).toEqual(properties);
  });
});

describe('the directory of a picture', () => {
  const namespaces =
    'xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:Item="http://ns.google.com/photos/1.0/container/item/"';
  const directory = (...items: string[]) =>
    packet(
      namespaces,
      `<Container:Directory><rdf:Seq>${items.map((item) => `<rdf:li rdf:parseType="Resource"><Container:Item ${item}/></rdf:li>`).join('')}</rdf:Seq></Container:Directory>`,
    );

  it('says where the map is: behind the items before it, and their padding', () => {
    const map = 'Item:Semantic="GainMap" Item:Length="7"';
    const video = 'Item:Semantic="MotionPhoto" Item:Length="1000" Item:Padding="8"';
    const primary = 'Item:Semantic="Primary"';
    expect(gainMapInDirectory(directory(primary, map))).toBe(0);
    expect(gainMapInDirectory(directory(`${primary} Item:Padding="5"`, map))).toBe(5);
    expect(gainMapInDirectory(directory(`${primary} Item:Length="99"`, video, map))).toBe(1008);
    expect(gainMapInDirectory(directory(primary, map, video))).toBe(0);
    expect(gainMapInDirectory(directory(primary, video))).toBeNull();
    expect(gainMapInDirectory(packet(namespaces))).toBeNull();
  });

  it('is believed in nothing that is no length', () => {
    const video = (length: string) => `Item:Semantic="MotionPhoto" Item:Length="${length}"`;
    const map = 'Item:Semantic="GainMap"';
    for (const length of ['-5', '1e9', '99999999999', 'x', '']) {
      expect(gainMapInDirectory(directory(video(length), map))).toBe(0);
    }
    expect(gainMapInDirectory(directory(...Array(1000).fill(video('1')), map))).toBeNull();
  });

  it('is added to what the packet says otherwise, where that can be read and fits', () => {
    const dublinCore = 'xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="image/jpeg"';
    const added = withGainMapDirectory(packet(dublinCore), 4321, 65_000);
    expect(gainMapInDirectory(added)).toBe(0);
    expect(Buffer.from(added).toString()).toContain('dc:format="image/jpeg"');
    expect(Buffer.from(added).toString()).toContain('Item:Length="4321"');
    const alone = withGainMapDirectory(null, 4321, 65_000);
    for (const xmp of [
      Buffer.from('<damaged'),
      packet(`${dublinCore} dc:x="${'y'.repeat(900)}"`),
    ]) {
      expect(withGainMapDirectory(xmp, 4321, 1000)).toEqual(alone);
    }
  });
});

describe('metadata of ISO 21496-1', () => {
  it('come back as they are, without what later versions add', () => {
    expect(readIsoStatement(usualIso)).toEqual(Uint8Array.from(usualIso));
    const longer = Uint8Array.from(Buffer.concat([usualIso, Buffer.from('more')]));
    longer[3] = 1;
    expect(readIsoStatement(longer)).toEqual(Uint8Array.from(usualIso));
  });

  it('have three channels, or a denominator for each number', () => {
    const channels = isoMetadata(
      Array.from({ length: 17 }, (_, i) => i),
      10,
    );
    channels[4] = 0x88;
    expect(readIsoStatement(channels)).toEqual(Uint8Array.from(channels));
    expect(readIsoStatement(channels.subarray(0, -1))).toBeNull();
    const fractions = Buffer.alloc(5 + 8 * 7, 1);
    fractions.set([0, 0, 0, 0, 0x40]);
    expect(readIsoStatement(fractions)).toEqual(Uint8Array.from(fractions));
    fractions.writeUInt32BE(0, 5 + 4);
    expect(readIsoStatement(fractions)).toBeNull();
  });

  it('are none where they are cut short, of another version, or divide by zero', () => {
    for (let length = 0; length < usualIso.length; length += 1) {
      expect(readIsoStatement(usualIso.subarray(0, length))).toBeNull();
    }
    const later = Uint8Array.from(usualIso);
    later[1] = 1;
    expect(readIsoStatement(later)).toBeNull();
    expect(readIsoStatement(isoMetadata([0, 1, 0, 1, 1, 0, 0], 0))).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { carriedXml, carriedXmp, packet, utf8 } from './carried-blocks.ts';

const gainMaps = {
  adobe: 'http://ns.adobe.com/hdr-gain-map/1.0/',
  google: 'http://ns.google.com/photos/1.0/container/',
  item: 'http://ns.google.com/photos/1.0/container/item/',
  depth: 'http://ns.google.com/photos/dd/1.0/camera/',
  apple: 'http://ns.apple.com/HDRGainMap/1.0/',
  note: 'http://ns.adobe.com/xmp/note/',
};
const newSize = { width: 320, height: 240, scale: { x: 0.5, y: 0.25 } };
const cropped = { ...newSize, scale: null };

describe('XMP under all', () => {
  it('is the very same packet when nothing of it changes', () => {
    const xmp = packet(
      'xmp:Rating="5" tiff:Orientation="6"',
      '<!-- remark --><dc:title>Lake</dc:title>',
    );
    expect(carriedXmp(xmp, 'all', { orientation: 6 })).toBe(xmp);
    const sized = packet('exif:PixelXDimension="320"', '<xmp:Thumbnails/>');
    expect(carriedXmp(sized, 'all')).toBe(sized);
  });

  it('says the orientation of the result, as attribute and as element', () => {
    expect(carriedXml(packet('tiff:Orientation="6"'), 'all')).toContain('tiff:Orientation="1"');
    const element = packet('', '<tiff:Orientation>6</tiff:Orientation><dc:title>Lake</dc:title>');
    const xml = carriedXml(element, 'all', { orientation: 3 });
    expect(xml).toContain('<tiff:Orientation>3</tiff:Orientation><dc:title>Lake</dc:title>');
  });

  it('says the new size and loses the thumbnails of the old picture', () => {
    const xmp = packet(
      'tiff:ImageWidth="4000" exif:PixelYDimension="3000" xmp:Rating="5"',
      '<tiff:ImageLength>3000</tiff:ImageLength><exif:PixelXDimension>4000</exif:PixelXDimension><xmp:Thumbnails><rdf:Alt><rdf:li>AAAA</rdf:li></rdf:Alt></xmp:Thumbnails>',
    );
    const xml = carriedXml(xmp, 'all', { newSize });
    for (const said of [
      'tiff:ImageWidth="320"',
      'exif:PixelYDimension="240"',
      '<tiff:ImageLength>240</tiff:ImageLength>',
      '<exif:PixelXDimension>320</exif:PixelXDimension>',
      'xmp:Rating="5"',
      'x:xmptk="Toolkit"',
    ]) {
      expect(xml).toContain(said);
    }
    expect(xml).not.toContain('Thumbnails');
    expect(carriedXmp(xmp, 'all')).toBe(xmp);
  });

  it('says sRGB where inks have become that', () => {
    const xmp = packet(
      'photoshop:ColorMode="4" photoshop:ICCProfile="Coated FOGRA39" xmp:Rating="5"',
      '<exif:ColorSpace>65535</exif:ColorSpace>',
    );
    const xml = carriedXml(xmp, 'all', { isNowSrgb: true });
    for (const said of [
      'photoshop:ColorMode="3"',
      'photoshop:ICCProfile="sRGB IEC61966-2.1"',
      '<exif:ColorSpace>1</exif:ColorSpace>',
      'xmp:Rating="5"',
    ]) {
      expect(xml).toContain(said);
    }
    expect(carriedXmp(xmp, 'all')).toBe(xmp);
  });

  it.each(Object.entries(gainMaps))('loses what is of the %s namespace', (_, uri) => {
    const xmp = packet(
      `xmlns:gone="${uri}" gone:Version="1.0" xmp:Rating="5"`,
      `<gone:List><rdf:Seq><rdf:li gone:a="b"/></rdf:Seq></gone:List><dc:title>Lake</dc:title><dc:source><rdf:Bag><rdf:li gone:c="d">kept</rdf:li></rdf:Bag></dc:source>`,
    );
    const xml = carriedXml(xmp, 'all');
    expect(xml).not.toMatch(/gone/);
    expect(xml).not.toContain(uri);
    expect(xml).toContain('xmp:Rating="5"');
    expect(xml).toContain('<dc:title>Lake</dc:title>');
    expect(xml).toContain('<rdf:li>kept</rdf:li>');
  });

  it('is nothing when only such descriptions were in it', () => {
    const xmp = packet(`xmlns:g="${gainMaps.adobe}" g:Version="1.0"`);
    expect(carriedXmp(xmp, 'all')).toBeNull();
  });

  it.each([
    ['Micro Video', 'MicroVideo="1" g:MicroVideoVersion="1" g:MicroVideoOffset="4000"'],
    ['Motion Photo', 'MotionPhoto="1" g:MotionPhotoPresentationTimestampUs="-1"'],
  ])('no longer promises the video of a %s', (_, promise) => {
    const camera = 'http://ns.google.com/photos/1.0/camera/';
    const xmp = packet(
      `xmlns:g="${camera}" xmlns:c="${gainMaps.google}" g:${promise} g:BurstID="7"`,
      '<g:MotionPhotoVersion>1</g:MotionPhotoVersion><c:Directory><rdf:Seq/></c:Directory>',
    );
    const xml = carriedXml(xmp, 'all');
    expect(xml).not.toMatch(/MicroVideo|MotionPhoto|Directory/);
    expect(xml).toContain('g:BurstID="7"');
    expect(carriedXmp(packet(`xmlns:g="${camera}" g:${promise}`), 'all')).toBeNull();
    expect(carriedXmp(packet(`xmlns:g="${camera}" g:${promise}`, '<unclosed>'), 'all')).toBeNull();
  });

  it('counts the pixels of a panorama in those of the result', () => {
    const xmp = packet(
      'xmlns:p="http://ns.google.com/photos/1.0/panorama/" p:FullPanoWidthPixels="1280" p:InitialViewHeadingDegrees="90" p:LargestValidInteriorRectTop="7"',
      '<p:ProjectionType>equirectangular</p:ProjectionType><p:FullPanoHeightPixels>1920</p:FullPanoHeightPixels><p:CroppedAreaLeftPixels>320</p:CroppedAreaLeftPixels><p:CroppedAreaImageHeightPixels>960</p:CroppedAreaImageHeightPixels>',
    );
    expect(carriedXmp(xmp, 'all')).toBe(xmp);
    const xml = carriedXml(xmp, 'all', { newSize });
    for (const said of [
      'p:FullPanoWidthPixels="640"',
      'p:InitialViewHeadingDegrees="90"',
      'p:LargestValidInteriorRectTop="2"',
      '<p:ProjectionType>equirectangular</p:ProjectionType>',
      '<p:FullPanoHeightPixels>480</p:FullPanoHeightPixels>',
      '<p:CroppedAreaLeftPixels>160</p:CroppedAreaLeftPixels>',
      '<p:CroppedAreaImageHeightPixels>240</p:CroppedAreaImageHeightPixels>',
    ]) {
      expect(xml).toContain(said);
    }
  });

  it.each([
    'http://ns.google.com/photos/1.0/panorama/',
    'http://www.metadataworkinggroup.com/schemas/regions/',
    'http://ns.microsoft.com/photo/1.2/',
  ])('places nothing by %s in a picture that was cropped or rotated', (uri) => {
    const xmp = packet(`xmlns:p="${uri}" p:Width="1280"`, '<p:List/><dc:title>Lake</dc:title>');
    expect(carriedXmp(xmp, 'all')).toBe(xmp);
    expect(carriedXmp(xmp, 'all', { newSize })).toBe(xmp);
    const xml = carriedXml(xmp, 'all', { newSize: cropped });
    expect(xml).not.toContain(uri);
    expect(xml).not.toMatch(/p:(List|Width)/);
    expect(xml).toContain('<dc:title>Lake</dc:title>');
  });

  it('keeps characters as they are when it is written anew', () => {
    const xmp = packet(
      'tiff:Orientation="6"',
      '<dc:title>a &lt; b &amp; c \u2028 \u0085 😀 ]]&gt;</dc:title>',
    );
    const title = '<dc:title>a &lt; b &amp; c \u2028 \u0085 😀 ]]&gt;</dc:title>';
    expect(carriedXml(xmp, 'all')).toContain(title);
  });

  it('stays as it is when it is damaged, unless it mentions what goes', () => {
    const damaged = (uri: string) => packet('', `<dc:title xmlns:g="${uri}">`);
    const harmless = damaged('https://example.org/');
    expect(carriedXmp(harmless, 'all', { newSize })).toBe(harmless);
    for (const uri of Object.values(gainMaps)) {
      expect(carriedXmp(damaged(uri), 'all'), uri).toBeNull();
    }
  });

  it('stays as it is when it is too large to parse, unless it mentions what goes', () => {
    const large = (attributes: string) => packet(attributes, ' '.repeat(256 * 1024));
    const harmless = large('tiff:Orientation="6"');
    expect(carriedXmp(harmless, 'all')).toBe(harmless);
    expect(carriedXmp(large(`xmlns:g="${gainMaps.note}"`), 'all')).toBeNull();
  });

  it('does not expand entities', () => {
    const xmp = Uint8Array.of(
      ...utf8('<!DOCTYPE a [<!ENTITY b "6">]>'),
      ...packet('', '<tiff:Orientation>&b;</tiff:Orientation>'),
    );
    expect(carriedXmp(xmp, 'all')).toBe(xmp);
  });
});

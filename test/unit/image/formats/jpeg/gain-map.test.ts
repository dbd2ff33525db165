import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { encode, SpareCpu } from '../../../../../src/image/pipeline/attempts.ts';
import { candidatesFor } from '../../../../../src/image/pipeline/candidates.ts';
import { conversionsOf } from '../../../../../src/image/pipeline/conversion.ts';
import { defaultOptions, type OptimizeOptions } from '../../../../../src/image/pipeline/options.ts';
import { PreparedPixels } from '../../../../../src/image/pipeline/prepare-pixels.ts';
import { readSource } from '../../../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { maxCpuMs } from '../../../../../src/image/wasm/budgets.ts';
import { difference, pixels } from '../../../../support/pictures.ts';
import {
  isoMetadata,
  seenUltraHdr,
  segment,
  ultraHdr,
  usualIso,
  usualProperties,
  withSegments,
  xmpOf,
  xmpSegment,
} from '../../../../support/ultra-hdr.ts';
import { answered, parts, photoWithGainMap, pictureSize } from './photo-with-gain-map.ts';

type File = Uint8Array<ArrayBuffer>;

let photo: File;
beforeAll(async () => {
  photo = await photoWithGainMap();
});

const waysOfTelling = [['xmp'], ['iso'], ['xmp', 'iso']] as const;

describe('a photo with a gain map, in its own size', () => {
  it.each(waysOfTelling.map((ways) => [ways.join(' and '), ways] as const))(
    'keeps it, coefficient by coefficient: told by %s',
    { tags: 'slow' },
    async (_name, ways) => {
      // some readers know single values only
      const properties = { ...usualProperties, GainMapMax: '2.5' };
      const file = await photoWithGainMap({ ways, properties });
      const before = await sharp(file).metadata();
      for (const options of [{}, { quality: 60 }, { quality: 'lossless' }] as const) {
        const result = answered(file, options);
        expect(result.hdr).toBe('gain-map');
        expect(result.bytes.length).toBeLessThan(file.length);
        const seen = await seenUltraHdr(result.bytes);
        expect(seen.seenMap?.equals(seen.map)).toBe(true);
        expect(await pixels(seen.map)).toEqual(await pixels(before.gainMap?.image ?? photo));
      }
    },
  );

  it('is coded as without one', { tags: 'slow' }, async () => {
    const { picture } = await parts();
    for (const options of [{}, { quality: 60 }] as const) {
      const alone = answered(picture, options);
      const seen = await seenUltraHdr(answered(photo, options).bytes);
      expect(await pixels(seen.picture)).toEqual(await pixels(alone.bytes));
    }
  });

  it('says the same of it as before', { tags: 'slow' }, async () => {
    const { map, picture } = await seenUltraHdr(answered(photo).bytes);
    const xmp = xmpOf(map) ?? '';
    for (const [name, value] of Object.entries(usualProperties)) {
      if (typeof value === 'string') expect(xmp).toContain(`hdrgm:${name}="${value}"`);
    }
    expect(xmp).toContain('<rdf:li>2.5</rdf:li><rdf:li>2.25</rdf:li><rdf:li>2.125</rdf:li>');
    expect(map.includes(isoSegment(usualIso))).toBe(true);
    expect(picture.includes(isoSegment(Buffer.alloc(4)))).toBe(true);
    expect(xmpOf(picture)).toContain(`Item:Semantic="GainMap" Item:Length="${map.length}"`);
    expect(xmpOf(picture)).toContain('hdrgm:Version="1.0"');
  });

  it('says it only in the ways in which it was said', { tags: 'slow' }, async () => {
    const told = await seenUltraHdr(answered(await photoWithGainMap({ ways: ['iso'] })).bytes);
    expect([xmpOf(told.picture), xmpOf(told.map)]).toEqual([null, null]);
    const inXmp = await seenUltraHdr(answered(await photoWithGainMap({ ways: ['xmp'] })).bytes);
    expect(inXmp.picture.includes('21496')).toBe(false);
    expect(inXmp.map.includes('21496')).toBe(false);
  });

  it('carries nothing else: maker notes, videos, further images', { tags: 'slow' }, async () => {
    const secret = 'made by someone somewhere';
    const { map } = await parts();
    const file = await photoWithGainMap({
      beside: { attributes: `GCamera:hdrp_makernote="${secret}"` },
      between: Buffer.from(`video of ${secret}`),
      behind: Buffer.from(secret),
      map: withSegments(map, [segment(0xfe, Buffer.from(secret))]),
    });
    for (const metadata of ['none', 'copyright'] as const) {
      const { bytes, hdr } = answered(file, { metadata });
      expect(hdr).toBe('gain-map');
      await seenUltraHdr(bytes);
      expect(Buffer.from(bytes).includes(secret)).toBe(false);
      expect(Buffer.from(bytes).includes('MotionPhoto')).toBe(false);
    }
  });

  it('has its metadata beside the directory where they are asked for', {
    tags: 'slow',
  }, async () => {
    const creator = '<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>';
    const file = await photoWithGainMap({
      beside: { attributes: 'GCamera:note="mine"', elements: creator },
    });
    for (const [metadata, note] of [
      ['copyright', false],
      ['all', true],
    ] as const) {
      const { picture, map } = await seenUltraHdr(answered(file, { metadata }).bytes);
      const xmp = xmpOf(picture) ?? '';
      expect(xmp).toContain('<rdf:li>Ada</rdf:li>');
      expect(xmp.includes('mine')).toBe(note);
      expect(xmp).toContain(`Item:Length="${map.length}"`);
      expect(xmp.match(/GainMap"/g)).toHaveLength(1);
      expect(xmp.match(/<rdf:RDF/g)).toHaveLength(1);
    }
  });

  it('keeps the profile of the map, which says what its result is in', {
    tags: 'slow',
  }, async () => {
    const { map } = await parts();
    const profiled = await sharp(map).withIccProfile('p3').jpeg().toBuffer();
    const file = await photoWithGainMap({ map: profiled });
    for (const options of [{}, { width: 400 }]) {
      const seen = await seenUltraHdr(answered(file, options).bytes);
      const { icc } = await sharp(seen.map).metadata();
      expect(icc).toEqual((await sharp(profiled).metadata()).icc);
    }
  });

  it('comes to the same when it is sent once more', () => {
    const once = answered(photo, { quality: 60 });
    const twice = answered(once.bytes, { quality: 60 });
    expect(twice.hdr).toBe('gain-map');
    expect(twice.bytes.length).toBeLessThanOrEqual(once.bytes.length);
  });

  it('is never longer than it was, and loses the map before it grows', async () => {
    // nothing beside the pictures but the few bytes of an index and a version
    const once = answered(await photoWithGainMap({ ways: ['iso'] }), { quality: 20 });
    const again = answered(once.bytes, { quality: 20 });
    expect(again.bytes.length).toBeLessThanOrEqual(once.bytes.length);
    expect(again.hdr).toBe('gain-map');

    const { width, height } = { width: 8, height: 8 };
    const tiny = { create: { width, height, channels: 3, background: '#456' } } as const;
    const jpeg = Uint8Array.from(await sharp(tiny).jpeg({ mozjpeg: true }).toBuffer());
    const small = ultraHdr({ picture: jpeg, map: jpeg, ways: ['iso'] });
    const result = answered(small);
    expect(result.bytes.length).toBeLessThanOrEqual(small.length);
  });
});

describe('a reduced photo with a gain map', () => {
  const boxes: readonly Partial<OptimizeOptions>[] = [
    { width: 400 },
    { height: 101 },
    { width: 120, height: 300, fit: 'cover' },
    { width: 333, height: 90, fit: 'cover' },
    { width: 800, height: 300, fit: 'cover' },
    { width: 7 },
  ];

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'has the same part of it, turned %i',
    { tags: 'slow' },
    async (orientation) => {
      const file = ultraHdr(await parts({ orientation, isBlurred: true }));
      for (const box of boxes) {
        const { bytes, hdr } = answered(file, { ...box, quality: 95 });
        expect(hdr).toBe('gain-map');
        const { picture, map } = await seenUltraHdr(bytes);
        const seen = await sharp(picture).metadata();
        expect(seen.orientation ?? 1).toBe(orientation);
        const size = await sharp(map).metadata();
        expect(size.channels).toBe(1);
        // a quarter of the picture's sides, as before
        expect(Math.abs(size.width - seen.width / 4)).toBeLessThan(1);
        expect(Math.abs(size.height - seen.height / 4)).toBeLessThan(1);
        if (size.width < 16 || size.height < 16) continue;
        const expected = await sharp(picture, { autoOrient: false })
          .resize({ ...sizeOf(size), fit: 'fill', fastShrinkOnLoad: false })
          .greyscale()
          .toBuffer();
        expect(difference(await pixels(map), await pixels(expected))).toBeLessThan(1.8);
      }
    },
  );

  it('has a map of means of code values, not of light', { tags: 'slow' }, async () => {
    const { width, height } = { width: 256, height: 192 };
    const checks = Buffer.from(
      Array.from({ length: width * height }, (_, i) => 255 * ((i + Math.floor(i / width)) & 1)),
    );
    const map = await sharp(checks, { raw: { width, height, channels: 1 } })
      .jpeg({ quality: 100 })
      .toBuffer();
    const file = await photoWithGainMap({ map });
    const seen = await seenUltraHdr(answered(file, { width: 100 }).bytes);
    const { channels } = await sharp(seen.map).stats();
    expect(channels[0]?.mean).toBeGreaterThan(124);
    expect(channels[0]?.mean).toBeLessThan(131);
  });

  it('has a map in colour where it was', { tags: 'slow' }, async () => {
    const { map } = await parts();
    const tinted = await sharp(map).tint('#f80').jpeg({ quality: 90 }).toBuffer();
    const seen = await seenUltraHdr(
      answered(await photoWithGainMap({ map: tinted }), { width: 400 }).bytes,
    );
    const expected = await sharp(tinted).resize(100, 67, { fit: 'fill' }).toBuffer();
    expect(difference(await pixels(seen.map), await pixels(expected))).toBeLessThan(4);
  });

  it.each([
    ['as large as the picture', pictureSize],
    ['of a single pixel', { width: 1, height: 1 }],
    ['of a single row', { width: 90, height: 1 }],
    ['of another shape', { width: 31, height: 190 }],
  ])('has one that is %s', { tags: 'slow' }, async (_name, size) => {
    const file = ultraHdr(await parts({ mapSize: size }));
    for (const box of boxes) {
      const { bytes, hdr } = answered(file, box);
      expect(hdr).toBe('gain-map');
      await seenUltraHdr(bytes);
    }
  });

  it('has it where its coefficients are progressive', { tags: 'slow' }, async () => {
    const { picture, map } = await parts();
    const progressive = (file: Buffer) => sharp(file).jpeg({ progressive: true }).toBuffer();
    const file = ultraHdr({ picture: await progressive(picture), map: await progressive(map) });
    for (const options of [{}, { width: 300 }]) {
      const result = answered(file, options);
      expect(result.hdr).toBe('gain-map');
      await seenUltraHdr(result.bytes);
    }
  });
});

describe('a picture with a gain map is the same', () => {
  it('on every way from its pixels to its file', { tags: 'slow' }, async () => {
    const { picture, map } = await parts();
    for (const file of [picture, await sharp(picture).jpeg({ progressive: true }).toBuffer()]) {
      const source = readSource(Uint8Array.from(file));
      if (source.kind !== 'source') throw new Error(source.kind);
      const options = { ...defaultOptions, width: 400, quality: 60 };
      const [candidate] = [candidatesFor('jpeg', source, options)].flat();
      if (candidate?.kind !== 'encode') throw new Error('nothing is encoded');
      const ways = [...conversionsOf(candidate, source)];
      expect(ways).toHaveLength(3);
      const results = ways.map((way) => {
        const bytes = Uint8Array.from(file);
        const pixelsOfFile = new PreparedPixels(bytes, source);
        const gainMap = {
          kind: 'picture',
          statement: { xmp: new Map(), iso: null },
          map: Uint8Array.from(map),
        } as const;
        const appearance = { icc: null, metadata: noMetadata, gainMap };
        const encoding = { file: bytes, source, candidate, appearance, makeWay: null };
        const result = runAtOnce(encode(encoding, [way], pixelsOfFile, new SpareCpu(maxCpuMs)));
        pixelsOfFile.end();
        if (result.kind !== 'finished') throw new Error(result.kind);
        return result.bytes;
      });
      const seen = await Promise.all(results.map(seenUltraHdr));
      for (const one of seen) {
        expect(one.map.equals(map)).toBe(true);
        expect(await pixels(one.picture)).toEqual(await pixels(seen[0]?.picture ?? one.picture));
      }
    }
  });
});

describe('a gain map is dropped', () => {
  it('where that is asked for', { tags: 'slow' }, async () => {
    const { picture } = await parts();
    for (const box of [{}, { width: 400 }]) {
      const { bytes, hdr } = answered(photo, { ...box, hdr: 'drop' });
      expect(hdr).toBe('dropped');
      expect(Buffer.from(bytes)).toEqual(Buffer.from(answered(picture, box).bytes));
    }
  });

  it('in other formats', { tags: 'slow' }, () => {
    for (const format of ['webp', 'png', 'avif'] as const) {
      expect(answered(photo, { format, width: 100 }).hdr).toBe('dropped');
    }
  });

  it('where it takes the maker notes of Apple', { tags: 'slow' }, async () => {
    const { picture, map } = await parts();
    const packet =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap" HDRGainMap:HDRGainMapVersion="65536"/></rdf:RDF></x:xmpmeta>';
    const file = ultraHdr({ picture, map: withSegments(map, [xmpSegment(packet)]), ways: [] });
    const result = answered(file);
    expect(result.hdr).toBe('dropped');
    expect(Buffer.from(result.bytes)).toEqual(Buffer.from(answered(picture).bytes));
  });

  it('where its data are damaged', { tags: 'slow' }, async () => {
    const { picture, map } = await parts();
    // enough for its headers, and an end marker
    const cut = Buffer.concat([map.subarray(0, map.length >> 1), Buffer.from([0xff, 0xd9])]);
    const file = ultraHdr({ picture, map: cut });
    for (const box of [{}, { width: 400 }]) {
      const { bytes, hdr } = answered(file, box);
      expect(hdr).toBe('dropped');
      expect(Buffer.from(bytes)).toEqual(Buffer.from(answered(picture, box).bytes));
    }
  });
});

describe('a gain map is found', () => {
  it.each<[string, Parameters<typeof photoWithGainMap>[0]]>([
    ['by the directory alone', { withoutIndex: true }],
    ['by the index alone', { withoutDirectory: true }],
    ['behind a video', { between: Buffer.alloc(1000, 'video') }],
    ['before a video', { behind: Buffer.alloc(1000, 'video') }],
  ])('%s', { tags: 'slow' }, async (_name, changes) => {
    const result = answered(await photoWithGainMap(changes));
    expect(result.hdr).toBe('gain-map');
    await seenUltraHdr(result.bytes);
  });

  it('where an editor of headers has left the index behind', async () => {
    const edited = withSegments(photo, [segment(0xfe, Buffer.from('a comment'))]);
    expect(answered(edited).hdr).toBe('gain-map');
  });
});

describe('an ordinary JPEG', () => {
  it.each<[string, Parameters<typeof photoWithGainMap>[0]]>([
    ['has a directory without its map', { map: Buffer.from('no JPEG') }],
    ['has an index of images that are none', { map: Buffer.alloc(300, 0xff), ways: ['iso'] }],
    ['has another image behind it that says nothing of gain', { ways: [] }],
    ['has a map of another version', { properties: { ...usualProperties, Version: '2.0' } }],
    ['has a map without its range', { properties: { Version: '1.0', HDRCapacityMax: '1' } }],
    [
      'has a map whose gamma is no number',
      { properties: { ...usualProperties, Gamma: '1"/><script' }, ways: ['xmp'] },
    ],
    [
      'has a map that divides by zero',
      { iso: isoMetadata([0, 1, 0, 1, 1, 0, 0], 0), ways: ['iso'] },
    ],
    ['has a map whose metadata are cut short', { iso: usualIso.subarray(0, 20), ways: ['iso'] }],
  ])('%s', { tags: 'slow' }, async (_name, changes) => {
    const ways = changes?.ways ?? ['xmp'];
    const result = answered(await photoWithGainMap({ ...changes, ways }));
    expect(result.hdr).toBeNull();
    const { picture } = await parts();
    expect(Buffer.from(result.bytes)).toEqual(Buffer.from(answered(picture).bytes));
  });

  it('has a map that has been cut off', { tags: 'slow' }, () => {
    for (const length of [photo.length - 1, photo.length - 2000, photo.length - 6000]) {
      const { hdr } = answered(photo.subarray(0, length));
      expect(hdr).toBeNull();
    }
  });
});

function sizeOf({ width, height }: { width: number; height: number }) {
  return { width, height };
}

function isoSegment(metadata: Uint8Array): Buffer {
  const signature = Buffer.from('urn:iso:std:iso:ts:21496:-1\0');
  return segment(0xe2, Buffer.concat([signature, metadata]));
}

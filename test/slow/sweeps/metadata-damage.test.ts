import { describe, expect, it } from 'vitest';
import { carriedMetadata } from '../../../src/image/metadata/carried.ts';
import type { Metadata } from '../../../src/image/metadata/metadata.ts';
import type { MetadataPart } from '../../../src/image/metadata/preserved.ts';
import { Random } from '../../support/random.ts';
import { cpuMilliseconds } from '../../support/time.ts';
import { dataset, packet, utf8 } from '../../unit/image/metadata/carried-blocks.ts';
import { readTiff, short, tiff, undefinedBytes } from '../../unit/image/metadata/tiff.ts';

const parts: ReadonlySet<MetadataPart> = new Set(['copyright', 'creation', 'location']);
const levels = ['none', 'copyright', 'all', parts] as const;
const extremes = [0x00, 0x01, 0x3c, 0x3e, 0x7f, 0x80, 0xff];

/** With a directory that holds no more entries than this block, and rights that are filled in. */
const growth = 1024;

function blocks(order: 'II' | 'MM'): Metadata & Record<'exif' | 'xmp' | 'iptc', Uint8Array> {
  return {
    exif: tiff({
      order,
      ifd0: { 271: 'Engines', 274: short(6, order), 315: 'Ada', 33432: '© Ada' },
      exif: { 37500: undefinedBytes(new Uint8Array(64).fill(9)), 40962: 400, 40963: 300 },
      gps: { 1: 'N' },
      ifd1: { 259: short(6, order), 273: 200, 279: 20 },
      thumbnail: new Uint8Array(80).fill(7),
    }),
    xmp: packet(
      'tiff:Orientation="6" xmpRights:Marked="True" xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/" g:Version="1.0"',
      '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Ada</rdf:li></rdf:Alt></dc:rights><xmp:Thumbnails/>',
    ),
    iptc: Uint8Array.of(
      ...dataset(1, 90, '\x1b%G'),
      ...dataset(2, 80, 'Ada'),
      ...dataset(2, 116, 'Ada'),
    ),
  };
}

/** One to eight bytes changed, and now and then the end cut off. */
function damaged(original: Uint8Array, random: Random): Uint8Array {
  const whole = (limit: number) => Math.floor(random.between(0, limit));
  const block = original.slice(0, whole(5) === 0 ? whole(original.length) : original.length);
  for (let changes = 1 + whole(8); changes > 0 && block.length > 0; changes--) {
    const at = whole(block.length);
    block[at] = extremes[whole(14)] ?? (block[at] ?? 0) ^ (1 << whole(8));
  }
  return block;
}

describe('damaged blocks', () => {
  it('never throw and never grow by more than what is put in', () => {
    const random = new Random(20260101);
    for (let round = 0; round < 6000; round++) {
      const good = blocks(round % 2 === 0 ? 'II' : 'MM');
      const source = {
        exif: damaged(good.exif, random),
        xmp: damaged(good.xmp, random),
        iptc: damaged(good.iptc, random),
      };
      const shown = {
        orientation: ([1, 6] as const)[round % 2] ?? 1,
        newSize: random.unit() < 0.5 ? { width: 320, height: 70_000, scale: null } : null,
        holdsIptc: random.unit() < 0.5,
        noticesIn: 'exif' as const,
      };
      for (const level of levels) {
        const carried = carriedMetadata(source, level, shown);
        for (const kind of ['exif', 'xmp', 'iptc'] as const) {
          const length = carried[kind]?.length ?? 0;
          if (length > source[kind].length + growth) throw new Error(`${kind} in round ${round}`);
        }
        // What was written anew or edited can be read as far as its first directory goes.
        if (carried.exif && (level !== 'all' || shown.orientation === 6)) {
          const expected = shown.orientation === 1 ? undefined : shown.orientation;
          expect(orientationOf(carried.exif)).toBe(expected);
        }
      }
    }
  });

  it('never throw wherever they are cut', () => {
    const good = blocks('MM');
    for (let length = 0; length < good.xmp.length; length++) {
      const source = {
        exif: good.exif.subarray(0, length),
        xmp: good.xmp.subarray(0, length),
        iptc: good.iptc.subarray(0, length),
      };
      for (const level of levels) {
        carriedMetadata(source, level, {
          orientation: 6,
          newSize: { width: 1, height: 1, scale: null },
          holdsIptc: false,
          noticesIn: 'exif',
        });
      }
    }
  });
});

/** The orientation in the first directory of a block whose other values may be damaged. */
function orientationOf(block: Uint8Array): number | undefined {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const little = block[0] === 0x49;
  const start = view.getUint32(4, little);
  for (let i = 0; i < view.getUint16(start, little); i++) {
    const at = start + 2 + i * 12;
    if (view.getUint16(at, little) === 0x112) return view.getUint16(at + 8, little);
  }
  return undefined;
}

describe('blocks made to take long', () => {
  const shown = {
    orientation: 6,
    newSize: { width: 1, height: 1, scale: null },
    holdsIptc: false,
    noticesIn: 'exif',
  } as const;
  const mebibyte = 1024 * 1024;
  const repeated = (text: string, length: number) => text.repeat(Math.floor(length / text.length));
  const quarter = 250_000;
  const rights = 'xmlns:g="http://ns.adobe.com/hdr-gain-map/1.0/" g:a="" photoshop:Credit="Ada"';

  const packets = {
    'of empty elements': packet(rights, repeated('<a/>', quarter)),
    'of as many elements as are parsed': packet(rights, '<a/>'.repeat(16_000)),
    'of as many properties as are parsed': packet(rights, '<dc:rights>a</dc:rights>'.repeat(8000)),
    'of nested elements': packet(rights, '<a>'.repeat(8000) + '</a>'.repeat(8000)),
    'of nested rights': packet(
      rights,
      `<dc:rights>${'<a>'.repeat(1100)}${'</a>'.repeat(1100)}</dc:rights>`,
    ),
    'of nested namespaces': packet(
      rights,
      `${Array.from({ length: 1900 }, (_, i) => `<a xmlns:n${i}="u">`).join('')}${'</a>'.repeat(1900)}`,
    ),
    'of attributes': packet(Array.from({ length: 15_000 }, (_, i) => `a${i}=""`).join(' '), rights),
    'of unended remarks': packet(rights, repeated('<!--', quarter)),
    'of unended instructions': packet(rights, repeated('<?a ', quarter)),
    'of unended tags': packet(rights, repeated('<', quarter)),
    'of ampersands': packet(rights, repeated('&', quarter)),
    'of white space': packet(rights, `${' '.repeat(quarter)}x`),
    'of letters that a namespace begins with': utf8('http://ns.'.repeat(100_000)),
  };

  it.each(Object.entries(packets))('are answered in time: XMP %s', (_, xmp) => {
    const taken = cpuMilliseconds(() => {
      for (const level of levels) carriedMetadata({ exif: null, xmp, iptc: null }, level, shown);
    });
    expect(taken).toBeLessThan(2000);
  });

  it('are answered in time: EXIF with a thousand strips that overlap', () => {
    const strips = (value: number) => {
      const bytes = new Uint8Array(4000);
      const view = new DataView(bytes.buffer);
      for (let at = 0; at < bytes.length; at += 4) view.setUint32(at, value, true);
      return { type: 4, bytes };
    };
    const small = tiff({
      ifd0: { 271: 'Engines' },
      ifd1: { 273: strips(20_000), 279: strips(900_000) },
    });
    const exif = new Uint8Array(mebibyte);
    exif.set(small);
    const carry = () => carriedMetadata({ exif, xmp: null, iptc: null }, 'all', shown);
    expect(cpuMilliseconds(carry)).toBeLessThan(1000);
    expect(readTiff(carry().exif ?? exif).ifd1).toBeNull();
  });

  it('are answered in time: IPTC of a hundred thousand empty datasets', () => {
    const iptc = Uint8Array.from({ length: mebibyte }, (_, i) => [0x1c, 2, 80, 0, 0][i % 5] ?? 0);
    const whole = iptc.subarray(0, mebibyte - (mebibyte % 5));
    const carry = () =>
      carriedMetadata({ exif: null, xmp: null, iptc: whole }, 'copyright', {
        ...shown,
        holdsIptc: true,
        noticesIn: 'exif',
      });
    expect(cpuMilliseconds(carry)).toBeLessThan(2000);
    expect(carry().iptc).toBeNull();
  });
});

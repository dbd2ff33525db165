import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pngChunk } from '../../../src/image/formats/png/chunks.ts';
import { inspect, readMetadata } from '../../../src/image/formats/registry.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { Random } from '../../support/random.ts';
import { cpuMilliseconds } from '../../support/time.ts';
import { blocks } from '../../unit/image/formats/blocks.ts';
import { be16, be32, bytes, type Part } from '../../unit/image/formats/byte-writing.ts';
import { imageOf, metadataOf, picture, rewrapped } from '../../unit/image/formats/pictures.ts';

const zeros = new Uint8Array(100 * 1024 * 1024);

/** A PNG with chunks behind its header. */
const png = async (chunks: readonly Uint8Array[]) => {
  const file = rewrapped(await picture().png().toBuffer());
  return Uint8Array.from(Buffer.concat([file.subarray(0, 33), ...chunks, file.subarray(33)]));
};
const chunk = (type: string, ...content: Part[]) => pngChunk(type, bytes(...content));

/** A JPEG with segments behind its start marker. */
const jpeg = async (segments: readonly Uint8Array[]) => {
  const file = rewrapped(await picture().jpeg().toBuffer());
  return Uint8Array.from(Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)]));
};
const segment = (code: number, ...content: Part[]) => {
  const data = bytes(...content);
  return bytes(0xff, code, be16(data.length + 2), data);
};

describe('a block that inflates to 100 MB', () => {
  const stream = deflateSync(zeros);

  it('is none, at once, however often it is there', async () => {
    const bombs = ['exif', 'APP1', 'iptc', '8bim', 'xmp'].map((kind) =>
      pngChunk('zTXt', bytes(`Raw profile type ${kind}\0\0`), stream),
    );
    const packet = pngChunk('iTXt', bytes('XML:com.adobe.xmp\0\x01\0\0\0'), stream);
    const file = await png(Array.from({ length: 100 }, () => [packet, ...bombs]).flat());
    const image = imageOf(file);
    expect(readMetadata(image, file)).toEqual(noMetadata);
    expect(cpuMilliseconds(() => readMetadata(image, file))).toBeLessThan(300);
  });
});

describe('blocks without number', () => {
  it('take linear time in a PNG and a JPEG', async () => {
    const many = (block: Uint8Array) => Array.from({ length: 100_000 }, () => block);
    const inPng = await png([...many(chunk('eXIf', 'none')), ...many(chunk('zTXt', 'x\0\0'))]);
    const inJpeg = await jpeg([
      ...many(segment(0xe1, 'Exif\0\0none')),
      ...many(segment(0xed, 'x')),
    ]);
    const [plainPng, plainJpeg] = [await png([]), await jpeg([])];
    for (const [plain, file] of [
      [plainPng, inPng],
      [plainJpeg, inJpeg],
    ] as const) {
      // Headers of so many parts are refused.
      expect(inspect(file).kind).toBe('broken');
      const image = imageOf(plain);
      expect(cpuMilliseconds(() => readMetadata(image, file))).toBeLessThan(1000);
      expect(readMetadata(image, file)).toEqual(noMetadata);
    }
  });
});

describe('raw profiles of a PNG', () => {
  const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');
  const raw = (kind: string, data: Uint8Array, length = data.length) =>
    chunk('tEXt', `Raw profile type ${kind}\0\n${kind}\n      ${length}\n${hex(data)}\n`);
  const resource = bytes('8BIM', be16(0x0404), 0, 0, be32(blocks.iptc.length), blocks.iptc, 0);

  it('are read where nothing better is there', async () => {
    const { exif, xmp, iptc } = blocks;
    const prefixed = bytes('Exif\0\0', exif);
    const inApp1 = bytes('http://ns.adobe.com/xap/1.0/\0', xmp);
    const read = async (...chunks: Uint8Array[]) => metadataOf(await png(chunks));
    expect(await read(raw('exif', prefixed), raw('xmp', xmp), raw('iptc', resource))).toEqual(
      blocks,
    );
    expect(await read(raw('APP1', prefixed), raw('iptc', iptc))).toEqual({ ...blocks, xmp: null });
    expect(await read(raw('APP1', inApp1), raw('8bim', resource))).toEqual({
      ...blocks,
      exif: null,
    });
    const better = chunk('eXIf', 'MM\0*better');
    expect((await read(raw('exif', prefixed), better)).exif).toEqual(bytes('MM\0*better'));
  });

  it('are read as exiftool heads them, deflated and in capitals', async () => {
    const text = bytes(`\nIPTC profile\n ${resource.length}\n${hex(resource).toUpperCase()}\n`);
    const file = await png([
      pngChunk('zTXt', bytes('Raw profile type iptc\0\0'), deflateSync(text)),
    ]);
    expect(metadataOf(file).iptc).toEqual(blocks.iptc);
  });

  it('are none when their length lies or they are not hexadecimal', async () => {
    const { exif } = blocks;
    for (const length of [0, exif.length + 1, 99_999_999]) {
      expect(metadataOf(await png([raw('exif', exif, length)]))).toEqual(noMetadata);
    }
    const text = `Raw profile type exif\0\nexif\n 4\n49492a0g\n`;
    expect(metadataOf(await png([chunk('tEXt', text)]))).toEqual(noMetadata);
  });
});

describe('text chunks of a PNG', () => {
  const packet = (...content: Part[]) => chunk('iTXt', 'XML:com.adobe.xmp\0', ...content);
  const stream = Uint8Array.from(deflateSync(blocks.xmp));
  it.each([
    { what: 'plain', content: packet(0, 0, 'en\0title\0', blocks.xmp), xmp: blocks.xmp },
    { what: 'deflated', content: packet(1, 0, 0, 0, stream), xmp: blocks.xmp },
    { what: 'cut', content: packet(1, 0, 0, 0, stream.subarray(0, -6)), xmp: null },
    { what: 'deflated in an unknown way', content: packet(1, 1, 0, 0, stream), xmp: null },
    { what: 'without end of its language', content: packet(0, 0, 'language'), xmp: null },
    { what: 'empty', content: packet(0, 0, 0, 0), xmp: null },
  ])('give XMP where they can: $what', async ({ content, xmp }) => {
    expect(metadataOf(await png([content])).xmp).toEqual(xmp);
  });

  it('give it from the first with its keyword, readable or not', async () => {
    const read = async (...chunks: Uint8Array[]) => metadataOf(await png(chunks)).xmp;
    const [plain, cut] = [packet(0, 0, 0, 0, 'first'), packet(1, 0, 0, 0, stream.subarray(0, -6))];
    expect(await read(plain, cut)).toEqual(bytes('first'));
    expect(await read(cut, plain)).toBeNull();
  });

  it('give it behind the image data too', async () => {
    const file = rewrapped(await picture().png().toBuffer());
    const late = bytes(file.subarray(0, -12), chunk('eXIf', blocks.exif), packet(0, 0, 0, 0, 'x'));
    const whole = bytes(late, file.subarray(-12));
    expect(metadataOf(whole)).toEqual({ exif: blocks.exif, xmp: bytes('x'), iptc: null });
  });
});

describe('image resources of a JPEG', () => {
  const photoshop = (...content: Part[]) => segment(0xed, 'Photoshop 3.0\0', ...content);
  const resource = (id: number, name: string, data: Part, length: number) =>
    bytes('8BIM', be16(id), name, be32(length), data);
  const { iptc } = blocks;

  it('give IPTC behind others of any name and length, and from a later segment', async () => {
    const others = bytes(resource(0x03ed, '\x03abc', 'odd\0', 3), resource(1, '\x02ab\0', '', 0));
    const file = await jpeg([
      photoshop(others),
      photoshop(others, resource(0x0404, '\0\0', iptc, 11)),
    ]);
    expect(metadataOf(file)).toEqual({ ...noMetadata, iptc });
  });

  it('give none when a length lies', async () => {
    for (const length of [0, iptc.length + 1, 0xffffffff]) {
      const file = await jpeg([photoshop(resource(0x0404, '\0\0', iptc, length))]);
      expect(metadataOf(file)).toEqual(noMetadata);
    }
    const behind = photoshop(
      resource(1, '\0\0', '', 0xffffffff),
      resource(0x0404, '\0\0', iptc, 11),
    );
    expect(metadataOf(await jpeg([behind]))).toEqual(noMetadata);
  });

  it('are not looked for behind the first scan', async () => {
    const file = rewrapped(await picture().jpeg().toBuffer());
    const late = segment(0xe1, 'Exif\0\0', blocks.exif);
    const whole = bytes(file.subarray(0, -2), late, file.subarray(-2));
    expect(metadataOf(whole)).toEqual(noMetadata);
  });
});

describe('the metadata of a damaged file', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)(
    'are read from a %s without an error',
    async (type) => {
      const original = rewrapped(await picture().toFormat(type).toBuffer(), blocks);
      const random = new Random(77);
      let readable = 0;
      for (let round = 0; round < 3000; round++) {
        const file = Uint8Array.from(original);
        for (let left = 3; left > 0; left--) {
          file[Math.floor(random.between(0, file.length))] = Math.floor(random.between(0, 256));
        }
        const result = inspect(file);
        if (result.kind !== 'image') continue;
        readable++;
        expect(readMetadata(result.image, file)).toHaveProperty('exif');
      }
      expect(readable).toBeGreaterThan(300);
    },
  );
});

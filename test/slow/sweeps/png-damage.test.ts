import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PngInspection } from '../../../src/image/formats/png/inspect.ts';
import { chunk } from '../../support/pictures.ts';
import {
  filteredRows,
  layouts,
  type Picture,
  pngWith,
  randomNumbers,
} from '../../unit/image/formats/png/png-writer.ts';
import { inspection, read, readRaster } from '../../unit/image/formats/png/reading.ts';

const picture: Picture = {
  ...{ width: 30, height: 20, colorType: 6, bitDepth: 8 },
  sample: (x, y, channel) => (x * y * (channel + 3) + ((x * 7919) >> 3)) & 0xff,
};
const rows = filteredRows(picture);
const sound = pngWith(picture);
const isSound = (file: Uint8Array) => typeof read(file) !== 'string';
const withData = (data: Uint8Array) => read(pngWith(picture, data));

describe('the rows of a PNG', () => {
  it('must be there to the last byte', () => {
    expect(isSound(sound)).toBe(true);
    expect(withData(deflateSync(rows.subarray(0, -1)))).toBe('damaged');
    expect(withData(deflateSync(Buffer.alloc(0)))).toBe('damaged');
  });

  it('must not be more than the header states', () => {
    expect(withData(deflateSync(Buffer.concat([rows, Buffer.of(0)])))).toBe('damaged');
    expect(withData(deflateSync(Buffer.concat([rows, rows])))).toBe('damaged');
  });

  it('must have a filter that exists', () => {
    const unknown = Buffer.from(rows);
    unknown.writeUInt8(5, 121);
    expect(withData(deflateSync(unknown))).toBe('damaged');
  });
});

describe('the checksums of a PNG', () => {
  const stream = deflateSync(rows);
  const changed = (at: number) => {
    const bytes = Buffer.from(stream);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  };

  it('must be right behind the deflated data', () => {
    for (const back of [1, 2, 3, 4]) {
      expect(withData(changed(stream.length - back))).toBe('damaged');
      expect(withData(stream.subarray(0, -back))).toBe('damaged');
    }
  });

  it('must be right behind each chunk of data, even of data behind the end', () => {
    for (const chunkBytes of [stream.length, 100]) {
      const file = pngWith(picture, stream, chunkBytes);
      file[file.length - 13] = (file[file.length - 13] ?? 0) ^ 1;
      expect(read(file)).toBe('damaged');
    }
    const end = chunk('IEND', Buffer.alloc(0));
    // more than is read ahead
    const filling = chunk('IDAT', Buffer.alloc(40_000));
    const more = chunk('IDAT', Buffer.from('more'));
    const longer = (last: Buffer) => Buffer.concat([sound.subarray(0, -12), filling, last, end]);
    expect(isSound(longer(more))).toBe(true);
    more.writeUInt8(more.readUInt8(8) ^ 1, 8);
    expect(read(longer(more))).toBe('damaged');
  });

  it('must be right in the header of the zlib stream, which names no dictionary', () => {
    expect(withData(changed(0))).toBe('damaged');
    expect(withData(changed(1))).toBe('damaged');
    for (const [method, flags] of [
      [0x77, 0x85],
      [0x88, 0x1c],
      [0x78, 0xbb],
    ]) {
      expect(((method ?? 0) * 256 + (flags ?? 0)) % 31).toBe(0);
      expect(
        withData(Buffer.concat([Buffer.of(method ?? 0, flags ?? 0), stream.subarray(2)])),
      ).toBe('damaged');
    }
  });

  it('let bytes behind them stand', () => {
    expect(isSound(pngWith(picture, Buffer.concat([stream, Buffer.from('more')])))).toBe(true);
  });
});

describe('a PNG that is cut short', () => {
  it.each([
    ['in one chunk', sound],
    ['in chunks of 50 bytes', pngWith(picture, undefined, 50)],
    ['of stored blocks', pngWith(picture, deflateSync(rows, { level: 0 }))],
  ])('is sound only when its trailer alone is missing: %s', (_, file) => {
    for (let length = 0; length < file.length; length += 1) {
      expect(isSound(file.subarray(0, length)), `${length} bytes`).toBe(length >= file.length - 12);
    }
  });

  it('is damaged when its data are, whatever the chunks say', () => {
    const { Z_FIXED: strategy } = constants;
    for (const stream of [deflateSync(rows), deflateSync(rows, { strategy })]) {
      for (let length = 0; length < stream.length; length += 1) {
        const file = pngWith(picture, stream.subarray(0, length));
        expect(isSound(file), `${length} bytes`).toBe(false);
      }
    }
  });
});

describe('a PNG that states far more than it has', () => {
  const huge = { width: 0x7fff_ffff, height: 0x7fff_ffff };

  it('is damaged before anything is allocated', () => {
    expect(read(pngWith({ ...picture, ...huge }, deflateSync(rows)))).toBe('damaged');
    expect(read(pngWith({ ...picture, ...huge, interlaced: true }, deflateSync(rows)))).toBe(
      'damaged',
    );
  });

  it('takes no more memory when 64 MiB lie behind its last row', () => {
    const bomb = pngWith(picture, deflateSync(Buffer.alloc(64 * 2 ** 20)));
    const before = process.memoryUsage().arrayBuffers;
    expect(read(bomb)).toBe('damaged');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });
});

describe('chance damage', () => {
  /** The checksum of the changed chunk made right again, so that the damage reaches the inflater. */
  function rewrapped(file: PngInspection, stream: Buffer, original: Picture) {
    return readRaster(pngWith(original, stream), file);
  }

  it('is found by a checksum or changes nothing, and never ends otherwise', () => {
    const random = randomNumbers(5);
    for (const [colorType, bitDepth] of layouts) {
      for (const level of [0, 1, 9]) {
        const original: Picture = {
          ...{ width: 40, height: 25, colorType, bitDepth, interlaced: level === 1 },
          sample: (x, y, channel) => (x * x + y * 3 + channel) % 2 ** bitDepth,
          ...(colorType === 3 ? { palette: new Uint8Array(3 * 2 ** bitDepth).fill(9) } : {}),
        };
        const stream = deflateSync(filteredRows(original), { level });
        const file = pngWith(original);
        const image = inspection(file);
        if (image === null) throw new Error('not a PNG');
        const pixels = readRaster(file, image);
        for (let round = 0; round < 40; round += 1) {
          const changed = Buffer.from(stream);
          for (let changes = random(3); changes >= 0; changes -= 1) {
            changed.writeUInt8(random(256), random(changed.length));
          }
          const outcome = rewrapped(image, changed, original);
          if (outcome !== null) expect(outcome).toEqual(pixels);
        }
      }
    }
  });

  it('of the whole file never throws', () => {
    const random = randomNumbers(6);
    let read = 0;
    for (let round = 0; round < 3000; round += 1) {
      const file = sound.slice();
      for (let changes = random(4); changes >= 0; changes -= 1) {
        file[random(file.length)] = random(256);
      }
      const image = inspection(file);
      if (image === null) continue;
      readRaster(file, image);
      read += 1;
    }
    expect(read).toBeGreaterThan(100);
  });
});

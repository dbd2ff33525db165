import { describe, expect, it } from 'vitest';
import { ImageData } from '../../../../../src/image/formats/png/read.ts';
import { chunk } from '../../../../support/pictures.ts';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const text = chunk('tEXt', Buffer.from('a\0b'));
const idat = (content: string) => chunk('IDAT', Buffer.from(content));
const fileOf = (...chunks: Buffer[]) =>
  Buffer.concat([signature, ...chunks, chunk('IEND', Buffer.alloc(0)), idat('behind the end')]);

function rest(data: ImageData, cursor: number, portion: number): string {
  const target = Buffer.alloc(portion);
  let read = '';
  for (let count = data.read(cursor, target); count > 0; count = data.read(cursor, target)) {
    read += target.toString('latin1', 0, count);
  }
  return read;
}

describe('image data', () => {
  const file = fileOf(text, idat('abc'), idat(''), text, idat('defgh'), text);

  it('are those of all IDAT chunks up to the end, in portions of any size', () => {
    for (const portion of [1, 2, 100])
      expect(rest(new ImageData(file), 0, portion)).toBe('abcdefgh');
    expect(rest(new ImageData(fileOf(text)), 0, 5)).toBe('');
  });

  it('are read from several places, each of which can begin where another is', () => {
    const data = new ImageData(file);
    const target = Buffer.alloc(2);
    data.read(0, target);
    data.fork(0, 3);
    expect(rest(data, 0, 3)).toBe('cdefgh');
    expect(rest(data, 3, 3)).toBe('cdefgh');
    data.fork(3, 3);
    expect(rest(data, 3, 3)).toBe('abcdefgh');
  });

  it('are doubtful once a chunk with a wrong checksum has been needed', () => {
    const damaged = Buffer.from(file);
    damaged.writeUInt8(1, file.indexOf('defgh'));
    const data = new ImageData(damaged);
    expect(data.read(0, Buffer.alloc(3))).toBe(3);
    expect(data.isDoubtful).toBe(false);
    data.read(0, Buffer.alloc(1));
    expect(data.isDoubtful).toBe(true);
  });

  it('end with the file, without a checksum that could be wrong', () => {
    const data = new ImageData(file.subarray(0, file.indexOf('defgh') + 4));
    expect(rest(data, 0, 9)).toBe('abcdefg');
    expect(data.isDoubtful).toBe(false);
  });
});

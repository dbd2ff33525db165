import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readMetadata, rewrap } from '../../../../../src/image/formats/registry.ts';
import { noMetadata, type RightsTexts } from '../../../../../src/image/metadata/metadata.ts';
import { chunk, decoded, withPngChunk } from '../../../../support/pictures.ts';
import { imageOf, picture } from '../pictures.ts';

let plain: Buffer;
beforeAll(async () => {
  plain = await picture().png().toBuffer();
});

/** A PNG with these text chunks at the front, in this order. */
function withTexts(...chunks: (readonly [type: string, content: Buffer])[]): Buffer {
  return chunks.reduceRight((file, [type, content]) => withPngChunk(file, type, content), plain);
}

function textsIn(file: Uint8Array): RightsTexts | undefined {
  return readMetadata(imageOf(file), file).texts;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('statements of rights in the texts of a PNG', () => {
  it('are read in each form of text', () => {
    const expected = { notice: '© Ada', author: null };
    const forms = [
      ['tEXt', latin1('Copyright\0© Ada')],
      ['iTXt', Buffer.from('Copyright\0\0\0en\0\0© Ada')],
      ['zTXt', Buffer.concat([latin1('Copyright\0\0'), deflateSync(latin1('© Ada'))])],
      ['iTXt', Buffer.concat([latin1('Copyright\0\x01\0\0\0'), deflateSync('© Ada')])],
      // Some writers use UTF-8 anyway.
      ['tEXt', Buffer.from('Copyright\0© Ada')],
    ] as const;
    for (const form of forms) expect(textsIn(withTexts(form))).toEqual(expected);
  });

  it('are those of the first chunk with their keyword', () => {
    const file = withTexts(
      ['tEXt', latin1('Comment\0nothing')],
      ['tEXt', latin1('Copyright\0first')],
      ['tEXt', latin1('Author\0Ada')],
      ['tEXt', latin1('Copyright\0second')],
    );
    expect(textsIn(file)).toEqual({ notice: 'first', author: 'Ada' });
  });

  it('are none where they are empty, damaged or long', () => {
    const long = 'x'.repeat(8193);
    expect(textsIn(plain)).toBeUndefined();
    expect(textsIn(withTexts(['tEXt', latin1('Copyright\0  ')]))).toBeUndefined();
    expect(textsIn(withTexts(['tEXt', latin1(`Copyright\0${long}`)]))).toBeUndefined();
    expect(textsIn(withTexts(['tEXt', latin1('copyright\0Ada')]))).toBeUndefined();
    const bomb = Buffer.concat([latin1('Copyright\0\0'), deflateSync(long)]);
    expect(textsIn(withTexts(['zTXt', bomb]))).toBeUndefined();
    expect(textsIn(withTexts(['zTXt', latin1('Copyright\0\0Ada')]))).toBeUndefined();
  });

  it('are written as they are read, not deflated, beside an unchanged picture', async () => {
    const written = (texts: RightsTexts) => {
      const appearance = { icc: null, metadata: { ...noMetadata, texts } };
      const file = Buffer.from(rewrap(imageOf(plain), plain, appearance));
      expect(textsIn(file)).toEqual(texts);
      return file;
    };
    const west = written({ notice: '© Ada', author: 'Zoë' });
    expect(west.includes(chunk('tEXt', latin1('Copyright\0© Ada')))).toBe(true);
    expect(west.includes(chunk('tEXt', latin1('Author\0Zoë')))).toBe(true);
    const east = written({ notice: 'Ада\t2026', author: null });
    expect(east.includes(chunk('iTXt', Buffer.from('Copyright\0\0\0\0\0Ада\t2026')))).toBe(true);
    expect(await decoded(east)).toEqual(await decoded(plain));
  });
});

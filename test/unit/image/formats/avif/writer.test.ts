import { describe, expect, it } from 'vitest';
import { readAvifItems } from '../../../../../src/image/formats/avif/container/items.ts';
import {
  writeAvif,
  writeItemEntry,
} from '../../../../../src/image/formats/avif/container/writer.ts';
import { bytes } from '../byte-writing.ts';

const count = 8000;

describe('a written AVIF', () => {
  it('may have thousands of items, each in a place of its own', () => {
    // every other byte, so that no two items are joined
    const file = Uint8Array.from({ length: 2 * count }, (_, i) => i >> 1);
    const associations = ['ispe', 'pixi', 'av1C', 'auxC'].map((type) => ({
      property: { type, content: new Uint8Array(12) },
      essential: false,
    }));
    const written = writeAvif(file, {
      brands: ['avif'],
      handler: new Uint8Array(25),
      primaryId: 1,
      items: Array.from({ length: count }, (_, i) => ({
        id: i + 1,
        entry: writeItemEntry({ id: i + 1, type: 'av01', isHidden: i > 0 }),
        data: { from: 'file', extents: [{ offset: 2 * i, length: 1 }] },
        associations,
      })),
      references: Array.from({ length: count }, (_, i) => ({ type: 'auxl', from: i + 1, to: [1] })),
    });
    const items = [...(readAvifItems(written)?.items.values() ?? [])];
    const data = items.flatMap(({ extents }) =>
      (extents ?? []).map(({ offset, length }) => written.subarray(offset, offset + length)),
    );
    expect(bytes(...data)).toEqual(Uint8Array.from({ length: count }, (_, i) => i));
  });
});

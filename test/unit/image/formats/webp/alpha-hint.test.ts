import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspectWebp } from '../../../../../src/image/formats/webp/reader.ts';
import { webp } from '../../../../../src/image/formats/webp/webp.ts';
import { gathered } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';

/** The file with the bit of its VP8L header set or cleared that says whether alpha is used (RFC 9649 §3.4). */
function hinted(file: Buffer, usesAlpha: boolean): Buffer {
  const changed = Buffer.from(file);
  const at = changed.indexOf('VP8L') + 12;
  changed[at] = usesAlpha ? (changed[at] ?? 0) | 0x10 : (changed[at] ?? 0) & ~0x10;
  return changed;
}

describe('a lossless WebP whose header says that it uses no alpha', () => {
  it('is opaque as browsers show it, whatever its samples of alpha are', async () => {
    const data = Buffer.from(Array.from({ length: 4 * 63 }, (_, i) => (i * 37) & 255));
    const file = await sharp(data, { raw: { width: 9, height: 7, channels: 4 } })
      .webp({ lossless: true, exact: true })
      .toBuffer();
    const alphas = [true, false].map((usesAlpha) => {
      const bytes = hinted(file, usesAlpha);
      const inspected = inspectWebp(new DataView(bytes.buffer, bytes.byteOffset, bytes.length));
      if (inspected.kind !== 'image') throw new Error(inspected.kind);
      expect(inspected.image.hasAlpha).toBe(usesAlpha);
      const how = { halvings: 0, deepSamples: null } as const;
      const { decoder } = webp.read;
      const work = decoder.open(bytes, inspected.image, how, arena, gathered);
      const { data: seen } = runAtOnce(work);
      const samples = [...seen];
      const colors = samples.filter((_: number, i: number) => i % 4 < 3);
      expect(colors).toEqual([...data.filter((_: number, i: number) => i % 4 < 3)]);
      return samples.filter((_: number, i: number) => i % 4 === 3);
    });
    expect(alphas).toEqual([
      [...data.filter((_: number, i: number) => i % 4 === 3)],
      Array.from({ length: 63 }, () => 255),
    ]);
  });
});

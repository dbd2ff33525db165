import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Quality, Source } from '../../../../../src/image/formats/inspection.ts';
import type { JpegInspection } from '../../../../../src/image/formats/jpeg/inspect.ts';
import { jxlObstacle, jxlRecoder } from '../../../../../src/image/formats/jxl/transcode.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { readSource } from '../../../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { Unrepresentable } from '../../../../../src/image/wasm/codec.ts';
import { drawing } from '../jpeg/drawing.ts';
import { jpegInspection } from '../jpeg/inspected.ts';
import { made, samplings } from '../jpeg/made-jpegs.ts';
import { recoded } from '../jpeg/recoding.ts';
import { transcoded } from './transcoding.ts';

function sourceOf(file: Uint8Array<ArrayBuffer>): Source<JpegInspection> {
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  return source as Source<JpegInspection>;
}

function asJxl(file: Uint8Array<ArrayBuffer>, quality: Quality) {
  const keeping = { level: 'none', metadata: noMetadata } as const;
  const settings = { quality, exact: false };
  return runAtOnce(jxlRecoder.recode(file, sourceOf(file), settings, keeping, () => null));
}

async function drawnJpeg(quality: number): Promise<Uint8Array<ArrayBuffer>> {
  const { data, ...size } = drawing(300, 280);
  const picture = sharp(data, { raw: { ...size, channels: 3 } });
  return new Uint8Array(await picture.jpeg({ quality }).toBuffer());
}

describe('a JPEG that becomes JPEG XL', () => {
  beforeAll(() => arena.reserve(arenaCeiling));

  it('is quantized anew where that saves bytes', async () => {
    const file = await drawnJpeg(95);
    const { bytes, quality } = asJxl(file, 60);
    expect(quality).toBe(60);
    expect(bytes).toEqual(new Uint8Array(transcoded(file, { quality: 60 })));
    expect(bytes.length).toBeLessThan(transcoded(file).length);
  });

  it('keeps all coefficients where that saves next to nothing', async () => {
    const file = recoded(await drawnJpeg(95), 60) as Uint8Array<ArrayBuffer>;
    const { bytes, quality } = asJxl(file, 60);
    expect(quality).toBe('lossless');
    expect(bytes).toEqual(new Uint8Array(transcoded(file)));
  });

  it('is never longer for being quantized anew, however small it is', async () => {
    for (const size of [1, 8, 40]) {
      const flat = sharp({ create: { width: size, height: 8, channels: 3, background: '#823' } });
      const file = new Uint8Array(await flat.jpeg({ quality: 95 }).toBuffer());
      expect(asJxl(file, 60).bytes.length).toBeLessThanOrEqual(transcoded(file).length);
    }
  });

  it('takes no more memory than is told', { tags: 'slow' }, async () => {
    for (const file of [await drawnJpeg(90), made(900, 700, samplings['4:4:4'])]) {
      for (const quality of ['lossless', 60] as const) {
        const told = jxlRecoder.arenaBytes(sourceOf(file), { quality, exact: false });
        arena.reserve(told);
        expect(() => asJxl(file, quality)).not.toThrow();
      }
    }
    arena.reserve(arenaCeiling);
  });
});

describe('what cannot become JPEG XL', () => {
  const steps = new Uint8Array(64).fill(3);
  it.each([
    ['chroma with a quarter of the columns', made(64, 16, samplings['4:1:1'])],
    ['thirds', made(48, 16, samplings['three times as wide'])],
    ['red, green and blue', made(16, 16, samplings['4:4:4'], { adobe: 0 })],
    ['a step of 0', made(16, 16, samplings.grey, { tables: [steps.with(5, 0)] })],
  ])('is told of %s', (_name, file) => {
    expect(jxlObstacle(jpegInspection(file))).toMatch(/JPEG XL/);
  });

  it('may show only while it is coded, which is no damage', () => {
    arena.reserve(arenaCeiling);
    const step = made(16, 16, samplings.grey, { tables: [steps.with(5, 0)] });
    expect(() => asJxl(step, 'lossless')).toThrow(Unrepresentable);
    const scans = [{ components: [0], ss: 0, se: 0, ah: 0, al: 0 }];
    const cut = made(40, 40, samplings.grey, { scans });
    for (const quality of ['lossless', 60] as const) {
      expect(() => asJxl(cut, quality)).toThrow(Unrepresentable);
    }
  });

  it('is nothing else', () => {
    for (const factors of [samplings.grey, samplings['4:2:0'], samplings['4:4:0']]) {
      expect(jxlObstacle(jpegInspection(made(16, 16, factors)))).toBeNull();
    }
  });
});

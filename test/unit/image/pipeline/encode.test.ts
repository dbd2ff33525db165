import { afterEach, describe, expect, it, vi } from 'vitest';
import { ContainerError } from '../../../../src/image/container/assemble.ts';
import type { Encoded, EncodingRun, RowEncoder } from '../../../../src/image/formats/coding.ts';
import { outputFormat } from '../../../../src/image/formats/registry.ts';
import { encode, SpareCpu } from '../../../../src/image/pipeline/attempts.ts';
import { candidatesFor, type EncodeCandidate } from '../../../../src/image/pipeline/candidates.ts';
import { conversionOf } from '../../../../src/image/pipeline/conversion.ts';
import { defaultOptions } from '../../../../src/image/pipeline/options.ts';
import { PreparedPixels } from '../../../../src/image/pipeline/prepare-pixels.ts';
import { readSource } from '../../../../src/image/pipeline/read-source.ts';
import { forEachRowOf, type RowSource } from '../../../../src/image/pixels/row-source.ts';
import { runAtOnce, type Slices } from '../../../../src/image/slices.ts';
import { maxCpuMs } from '../../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../../src/image/wasm/codec.ts';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { sample } from '../../../support/pictures.ts';

/** An encoder in strips that holds nothing, and does what it is told. */
function encoderThat(
  code: (rows: RowSource, run: EncodingRun) => Slices<Encoded>,
  { heldBytes = 0 } = {},
): RowEncoder {
  return {
    photoBytes: 1000,
    maxBytes: 1000,
    bufferBytes: 1000,
    maxBufferBytes: 1000,
    cpuMs: () => 1,
    runs: 0,
    strips: () => ({ rows: 1, heldBytes, runs: 1 }),
    encode: code,
  };
}

/** What a photo comes to by way of a raster, where AVIF has these encoders. */
async function encodedBy(...encoders: readonly RowEncoder[]) {
  vi.spyOn(outputFormat('avif').write, 'encoders').mockReturnValue(encoders);
  const file = Uint8Array.from(await sample('photo.jpg'));
  const source = readSource(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  const [candidate] = [candidatesFor('avif', source, { ...defaultOptions, format: 'avif' })].flat();
  const icc = new Uint8Array(500).fill(7);
  const appearance = { icc, metadata: { exif: null, xmp: null, iptc: null } };
  const encoding = {
    file,
    source,
    candidate: candidate as EncodeCandidate,
    appearance,
    makeWay: null,
  };
  const way = conversionOf(encoding.candidate, source);
  expect(way.kind).toBe('kept');
  const pixels = new PreparedPixels(file, source);
  try {
    const outcome = runAtOnce(encode(encoding, [way], pixels, new SpareCpu(maxCpuMs)));
    return { outcome, icc };
  } finally {
    pixels.end();
  }
}

describe('a picture that is encoded from a raster', () => {
  afterEach(() => vi.restoreAllMocks());

  it('leaves as much to buffers of the result as raster and strips do not take', async () => {
    const given = async (heldBytes: number) => {
      const free = ledger.freeBeside({ arena: 0, buffers: 0 });
      let taken = 0;
      const encoder = encoderThat(
        function* ({ width, height }, { bufferBytes }) {
          taken = free - bufferBytes - 4 * width * height;
          return { parts: [new Uint8Array(10)], quality: 60 };
        },
        { heldBytes },
      );
      await encodedBy(encoder);
      return taken;
    };
    expect(await given(3_000_000)).toBe((await given(0)) + 3_000_000);
  });

  it('frees all pieces of a result, the smallest and those in one buffer, and nothing else', async () => {
    const shared = new Uint8Array(100).fill(2);
    const small = Array.from({ length: 50 }, () => new Uint8Array(20).fill(1));
    let carried = new Uint8Array();
    const { outcome, icc } = await encodedBy(
      encoderThat(function* (rows, { appearance }) {
        yield* forEachRowOf(rows, () => {});
        carried = appearance.icc as Uint8Array<ArrayBuffer>;
        const parts = [...small, shared.subarray(0, 50), shared.subarray(50), carried];
        return { parts, quality: 60 };
      }),
    );
    expect(outcome).toMatchObject({ kind: 'finished' });
    const bytes = outcome.kind === 'finished' ? outcome.bytes : new Uint8Array();
    expect(bytes).toEqual(
      Uint8Array.from([...Array(1000).fill(1), ...Array(100).fill(2), ...Array(500).fill(7)]),
    );
    expect(small.every(({ buffer }) => buffer.detached)).toBe(true);
    expect(shared.buffer.detached).toBe(true);
    expect([carried, icc].map(({ length }) => length)).toEqual([500, 500]);
  });

  it('is not called damaged for a fault of an encoder of ours', async () => {
    const faulty = encoderThat(() => {
      throw new ContainerError('These cells do not go together.');
    });
    await expect(encodedBy(faulty)).rejects.toThrow('These cells do not go together.');
  });

  it('is refused in that form where every encoder gives up, and not for want of memory', async () => {
    const givesUp = encoderThat(() => {
      throw new CodecError('codec', false, 'trapped');
    });
    const { outcome } = await encodedBy(givesUp, givesUp);
    expect(outcome).toMatchObject({ kind: 'impossible', refusal: { reason: 'options' } });
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RowDecoder } from '../../../../src/image/formats/coding.ts';
import type { JpegInspection } from '../../../../src/image/formats/jpeg/inspect.ts';
import { jpeg } from '../../../../src/image/formats/jpeg/jpeg.ts';
import type { PixelSteps } from '../../../../src/image/pipeline/candidates.ts';
import { PreparedPixels } from '../../../../src/image/pipeline/prepare-pixels.ts';
import { RowResizer } from '../../../../src/image/pixels/resizer.ts';
import type { RowSource } from '../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { CodecError } from '../../../../src/image/wasm/codec.ts';
import { jpeg as inspection, sourceOf } from '../../../support/inspections.ts';

const size = { width: 800, height: 600 };

/** A reader that runs out of memory at its tenth row, unless it has begun before; `begun` is called as it begins. */
function shortAtFirst(begun: () => void): RowDecoder<JpegInspection>['open'] {
  let opened = 0;
  return function* (_file, _image, _how, _memory, use) {
    opened += 1;
    const isShort = opened === 1;
    begun();
    const row = new Uint8Array(4 * size.width).fill(255);
    let y = 0;
    const rows: RowSource = {
      ...size,
      *start() {
        y = 0;
      },
      *next() {
        y += 1;
        if (isShort && y === 10) throw new CodecError('reader', true, 'no room');
        return row;
      },
      *end() {},
    };
    return yield* use(rows);
  };
}

describe('pixels that are prepared', () => {
  afterEach(() => vi.restoreAllMocks());

  it('are reduced anew where the reader ran out of memory, once the first reducer has given back its own', () => {
    const ended = vi.spyOn(RowResizer.prototype, 'end');
    const endedBefore: number[] = [];
    vi.spyOn(jpeg.read.decoder, 'open').mockImplementation(
      shortAtFirst(() => endedBefore.push(ended.mock.calls.length)) as never,
    );
    const steps: PixelSteps = {
      toSrgb: false,
      target: { region: { left: 0, top: 0, ...size }, width: 400, height: 300 },
      turn: 1,
      background: null,
    };
    const pixels = new PreparedPixels(new Uint8Array(100), sourceOf(inspection(size)));
    expect(runAtOnce(pixels.through(steps))).toMatchObject({ width: 400, height: 300 });
    expect(endedBefore).toEqual([0, 1]);
    pixels.end();
  });
});

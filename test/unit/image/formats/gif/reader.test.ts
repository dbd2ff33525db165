import { describe, expect, it } from 'vitest';
import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import { gifPlays, inspectGif } from '../../../../../src/image/formats/gif/reader.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import {
  extension,
  type MadeFrame,
  type MadeGif,
  madeGif,
} from '../../../../support/gif-maker/gif-maker.ts';
import { canvasOf, framesOf, inspection, shownFrames } from './reading.ts';

const table = [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255];
const frame: MadeFrame = { width: 2, height: 2, indices: [0, 1, 2, 3], minCodeSize: 2 };

function made(more: Partial<MadeGif> = {}): Uint8Array {
  return madeGif({ width: 2, height: 2, globalTable: table, frames: [frame], ...more });
}

function kindOf(file: Uint8Array): string {
  return inspectGif(viewOf(file)).kind;
}

describe('the inspection of a GIF', () => {
  it('says what a still one is', () => {
    expect(inspection(made())).toMatchObject({
      type: 'gif',
      width: 2,
      height: 2,
      frames: 1,
      hasAlpha: false,
      picture: {
        region: { left: 0, top: 0, width: 2, height: 2 },
        transparent: -1,
        minCodeSize: 2,
      },
    });
  });

  it.each([
    ['a frame has a transparent index', [{ ...frame, control: { transparent: 1 } }]],
    ['the first frame does not cover the canvas', [{ ...frame, width: 1, indices: [0, 0] }]],
    ['a frame is disposed of', [{ ...frame, control: { disposal: 2 } }, frame]],
  ])('says that there may be transparent pixels where %s', (_name, frames) => {
    expect(inspection(made({ frames })).hasAlpha).toBe(true);
  });

  it('knows that indices beyond the table are black', () => {
    expect(inspection(made({ frames: [{ ...frame, minCodeSize: 3 }] })).hasAlpha).toBe(false);
    const maxColors = (minCodeSize: number) =>
      inspection(made({ frames: [frame, { ...frame, minCodeSize }] })).frameTotals?.maxColors ?? 0;
    expect(maxColors(8)).toBe(maxColors(frame.minCodeSize ?? 2) + 1);
  });

  it('does not mind what becomes of the last frame', () => {
    const frames = [{ ...frame, control: { disposal: 2 } }];
    expect(inspection(made({ frames })).hasAlpha).toBe(false);
  });

  it('counts all pixels that frames code, those beyond the canvas and interlaced ones as well', () => {
    const wide = { ...frame, width: 65_535, height: 65_535, data: Uint8Array.of(1, 4, 0) };
    const frames = [
      frame,
      wide,
      { ...frame, width: 5, isInterlaced: true, indices: new Array(10) },
    ];
    expect(inspection(made({ frames }))).toMatchObject({
      width: 2,
      height: 2,
      codedPixels: 4 + 65_535 ** 2 + 10,
      interlacedPixels: 10,
    });
  });

  it('ends at the end of the file, or at bytes that begin no block', () => {
    const file = made({ hasTrailer: false });
    expect(inspection(file).frames).toBe(1);
    expect(inspection(Uint8Array.from([...file, 0x17, 0x2c, 1, 2])).frames).toBe(1);
  });

  it.each([
    ['ends inside its header', made().subarray(0, 15)],
    ['has no picture', made({ frames: [] })],
    ['has a picture without pixels', made({ frames: [{ ...frame, width: 0, indices: [] }] })],
    ['has no colours', madeGif({ width: 2, height: 2, frames: [frame] })],
    [
      'has indices of no bits',
      made({ frames: [{ ...frame, minCodeSize: 0, data: new Uint8Array(1) }] }),
    ],
    ['has indices of twelve bits', made({ frames: [{ ...frame, minCodeSize: 12 }] })],
    ['begins with bytes that begin no block', made({ blocks: [Uint8Array.of(9)] })],
  ])('refuses a file that %s', (_name, file) => {
    expect(kindOf(file)).toBe('broken');
  });

  it('refuses whatever is cut off before the data of its first picture, but reads what they have', () => {
    const file = made({ hasTrailer: false });
    const { data } = inspection(file).picture;
    for (let length = 6; length < file.length; length += 1) {
      const cut = file.subarray(0, length);
      expect(kindOf(cut)).toBe(length < data.offset ? 'broken' : 'image');
    }
    expect([...canvasOf(file.subarray(0, -1))]).toEqual([...canvasOf(file)]);
    expect(() => canvasOf(file.subarray(0, data.offset + 2))).toThrow(CodecError);
  });

  it('ends at a block that is cut off behind the first picture, unless another picture begins with it', () => {
    const file = made({ hasTrailer: false });
    const followedBy = (...more: number[]) => Uint8Array.from([...file, ...more]);
    const next = [...made({ frames: [{ ...frame, control: { delay: 4 } }] }).subarray(25, 43)];
    const [control, picture] = [next.slice(0, 8), next.slice(8)];
    for (const begun of [control, picture]) {
      for (let length = 2; length < begun.length; length += 1) {
        expect(kindOf(followedBy(...begun.slice(0, length)))).toBe('broken');
      }
    }
    const comment = [...extension(0xfe, [1, 2, 3])];
    for (let length = 1; length < comment.length; length += 1) {
      expect(inspection(followedBy(...comment.slice(0, length))).frames).toBe(1);
    }
  });

  it('is transparent where the first of its frames has no pixels', () => {
    const empty = { ...frame, width: 0, height: 0, indices: [], control: { delay: 10 } };
    const frames = [empty, frame, { ...empty, minCodeSize: 0, data: Uint8Array.of(0) }];
    expect(inspection(made({ frames }))).toMatchObject({ frames: 3, hasAlpha: true, width: 2 });
    const [first, second, third] = shownFrames(made({ frames }));
    expect([...(first ?? [])]).toEqual([0, 0, 0, 0]);
    expect(second).toEqual(canvasOf(made()));
    expect(third).toEqual(second);
    expect(framesOf(made({ frames })).map(({ duration }) => duration.ticks)).toEqual([10, 0, 10]);
  });
});

describe('the frames of a GIF', () => {
  it('are disposed of as they say; what came before the first is nothing', () => {
    const frames = [3, 0, 1, 2, 3, 4, 7].map((disposal) => ({ ...frame, control: { disposal } }));
    expect(framesOf(made({ frames })).map(({ disposal }) => disposal)).toEqual([
      'background',
      'keep',
      'keep',
      'background',
      'previous',
      'previous',
      'keep',
    ]);
  });

  it('each have the control extension before them, and no other', () => {
    const frames = [{ ...frame, control: { delay: 9, transparent: 2 } }, frame];
    const [first, second] = framesOf(made({ frames }));
    expect(first).toMatchObject({
      duration: { ticks: 9, perSecond: 100 },
      picture: { transparent: 2 },
    });
    expect(second).toMatchObject({
      duration: { ticks: 0, perSecond: 100 },
      picture: { transparent: -1 },
    });
  });

  it('are played once, so many times, or without end', () => {
    expect(gifPlays(viewOf(made()))).toBe(1);
    expect(gifPlays(viewOf(made({ loops: 0 })))).toBe(0);
    expect(gifPlays(viewOf(made({ loops: 4 })))).toBe(5);
    const other = extension(0xff, 'ANIMEXTS1.0', [1, 7, 0]);
    expect(gifPlays(viewOf(made({ blocks: [other] })))).toBe(8);
    const buffering = extension(0xff, 'NETSCAPE2.0', [2, 1, 0, 0, 0]);
    expect(gifPlays(viewOf(made({ blocks: [buffering] })))).toBe(1);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { encodedProfile } from '../../../../../src/image/formats/jxl/icc-stream.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { displayP3Profile, greyProfile, largeProfile } from '../../../../support/icc.ts';
import { decodedJxl } from '../../../../support/jxl.ts';
import { unacceptedProfiles } from '../../../../support/odd-profiles.ts';
import { made, samplings } from '../jpeg/made-jpegs.ts';
import { transcoded } from './transcoding.ts';

const file = made(40, 24, samplings['4:2:0']);
const grey = made(40, 24, samplings.grey);

/** Boxes by their types, in their order; their contents. */
function boxesOf(bytes: Uint8Array): [type: string, content: Uint8Array][] {
  const boxes: [string, Uint8Array][] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += view.getUint32(at)) {
    const end = at + view.getUint32(at);
    boxes.push([Buffer.from(bytes.subarray(at + 4, at + 8)).toString(), bytes.slice(at + 8, end)]);
  }
  return boxes;
}

describe('a JPEG XL file', () => {
  beforeAll(() => arena.reserve(arenaCeiling));

  it('is a bare codestream where there are no metadata', () => {
    expect([...transcoded(file).subarray(0, 2)]).toEqual([0xff, 0x0a]);
  });

  it('has EXIF and XMP in boxes before the codestream', async () => {
    const exif = new TextEncoder().encode('II*\0 and so on');
    const xmp = new TextEncoder().encode('<x:xmpmeta/>');
    const metadata = { ...noMetadata, exif, xmp };
    const jxl = transcoded(file, { appearance: { icc: null, metadata } });
    const boxes = boxesOf(jxl);
    expect(boxes.map(([type]) => type)).toEqual(['JXL ', 'ftyp', 'Exif', 'xml ', 'jxlc']);
    expect([...(boxes[2]?.[1] ?? [])]).toEqual([0, 0, 0, 0, ...exif]);
    expect([...(boxes[3]?.[1] ?? [])]).toEqual([...xmp]);
    expect([...(boxes[4]?.[1] ?? [])]).toEqual([...transcoded(file)]);
    expect((await decodedJxl(jxl)).data).toEqual((await decodedJxl(transcoded(file))).data);
  });

  it.each([
    ['of RGB', file, displayP3Profile()],
    ['of grey', grey, greyProfile()],
    ['of RGB for a grey picture', grey, displayP3Profile()],
    ['of two megabytes', file, largeProfile(2_000_000)],
  ])('carries a profile %s', { tags: 'slow' }, async (_name, jpeg, icc) => {
    const jxl = transcoded(jpeg, { appearance: { icc, metadata: noMetadata } });
    // it stands before the picture, which could not be read behind a profile that is damaged
    const { width, height } = await decodedJxl(jxl);
    expect([width, height]).toEqual([40, 24]);
    expect(jxl.length).toBeGreaterThan(transcoded(jpeg).length + 100);
  });

  it.each([displayP3Profile(), greyProfile(), largeProfile(4000)])(
    'states profiles as they can be read',
    (icc) => {
      const { head, rest } = encodedProfile(icc);
      expect(readProfile(Buffer.concat([head, rest]))).toEqual(Buffer.from(icc));
    },
  );

  it('corrects the size that a profile states if bytes follow it', async () => {
    const right = displayP3Profile();
    const icc = Uint8Array.from([...right, 0]);
    const jxl = transcoded(file, { appearance: { icc, metadata: noMetadata } });
    expect(jxl.length).toBeGreaterThan(transcoded(file).length + 100);
    expect((await decodedJxl(jxl)).width).toBe(40);
  });

  it.each(Object.entries(unacceptedProfiles))('leaves out a profile with %s', (_, icc) => {
    const jxl = transcoded(file, { appearance: { icc, metadata: noMetadata } });
    expect(jxl).toEqual(transcoded(file));
  });

  it('is grey where the JPEG is, and where its profile lets it', async () => {
    expect((await decodedJxl(transcoded(grey))).channels).toBe(1);
    expect((await decodedJxl(transcoded(file))).channels).toBe(3);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)('is turned by orientation %d', async (orientation) => {
    const plain = await decodedJxl(transcoded(file));
    const turned = await decodedJxl(transcoded(file, { orientation }));
    const { width, height } = plain;
    const isOnItsSide = orientation > 4;
    expect([turned.width, turned.height]).toEqual(isOnItsSide ? [height, width] : [width, height]);
    for (const [x, y] of [
      [0, 0],
      [39, 0],
      [7, 20],
    ] as const) {
      const [column, row] = turnedPlace(x, y, orientation, plain);
      const from = 3 * (y * width + x);
      const to = 3 * (row * turned.width + column);
      expect(turned.data.subarray(to, to + 3)).toEqual(plain.data.subarray(from, from + 3));
    }
  });
});

/** Reads a profile that is stated without a list of tags (ISO/IEC 18181-1 §E.4.2). */
function readProfile(encoded: Uint8Array): Buffer {
  let at = 0;
  const number = (): number => {
    const byte = encoded[at++] ?? 0;
    return byte < 0x80 ? byte : (byte & 0x7f) + 0x80 * number();
  };
  const length = number();
  const commands = number();
  const end = at + commands;
  expect(encoded[at++]).toBe(0);
  expect(encoded[at++]).toBe(1);
  expect(number()).toBe(length - 128);
  expect(at).toBe(end);
  const icc = Buffer.from(encoded.subarray(end));
  const likely = Buffer.alloc(128);
  likely.writeUInt32BE(length);
  likely[8] = 4;
  likely.write('mntrRGB XYZ ', 12);
  likely.write('acsp', 36);
  likely.write('0000f6d6000100000000d32d', 68, 'hex');
  for (let i = 0; i < 128; i += 1) {
    if (i === 80) likely.set(icc.subarray(4, 8), 80);
    if (i === 41 && icc[40] === 0x41) likely.write('PPL', 41);
    if (i === 41 && icc[40] === 0x4d) likely.write('SFT', 41);
    icc[i] = ((icc[i] ?? 0) + (likely[i] ?? 0)) & 0xff;
  }
  return icc;
}

/** Where EXIF's orientations show a stored pixel. */
function turnedPlace(
  x: number,
  y: number,
  orientation: number,
  { width, height }: { readonly width: number; readonly height: number },
): readonly [x: number, y: number] {
  const [right, bottom] = [width - 1 - x, height - 1 - y];
  const places = [
    [x, y],
    [right, y],
    [right, bottom],
    [x, bottom],
    [y, x],
    [bottom, x],
    [bottom, right],
    [y, right],
  ] as const;
  return places[orientation - 1] ?? [x, y];
}

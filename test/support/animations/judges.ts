/**
 * Timelines as seen by decoders that are independent of this service: the container is parsed here, strictly; each
 * frame is extracted to a still file, which sharp decodes (libnsgif, libpng, libwebp); and `composed` puts the frames
 * together.
 *
 * sharp is not used for composition: libnsgif fills with the background color where browsers clear, and has no alpha at
 * all if no frame has a transparent color; libvips blends WebP with its own rounding and does not read APNG.
 */
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { chunk } from '../pictures.ts';
import {
  type ComposedFrame,
  composed,
  exactOver,
  type FrameDisposal,
  libwebpOver,
  type Over,
} from './composition.ts';
import type { AnimationType, Timeline } from './timeline.ts';
import { webpChunk, webpChunks } from './webp-maker.ts';

/** A frame as described in a file, not yet decoded. */
interface CodedFrame extends Omit<ComposedFrame, 'pixels'> {
  /** @throws if decoding causes even a warning */
  decode(): Promise<ComposedFrame['pixels']>;
}

/** The contents of a file, and how its frames are blended. */
export interface CodedAnimation {
  readonly width: number;
  readonly height: number;
  /** Number of plays; 0: endless. */
  readonly plays: number;
  readonly frames: readonly CodedFrame[];
  readonly over: Over;
}

/**
 * The timeline that a file shows. A still image has one picture, which is played once and takes no time.
 * @throws if the container breaks a rule, or a frame cannot be decoded without a warning
 */
export async function timelineOf(type: AnimationType, file: Uint8Array): Promise<Timeline> {
  const { frames, over, ...shape } = await animationIn(type, file);
  const decoded: ComposedFrame[] = [];
  for (const frame of frames) decoded.push({ ...frame, pixels: await frame.decode() });
  return composed(shape, decoded, over);
}

/**
 * The frames of a file, for tests that do not need all of its pictures at once.
 * @throws if the container breaks a rule
 */
export function animationIn(type: AnimationType, file: Uint8Array): Promise<CodedAnimation> {
  return judges[type](Buffer.from(file.buffer, file.byteOffset, file.length));
}

const judges = { gif: codedGif, png: codedApng, webp: codedWebp } satisfies Record<
  AnimationType,
  (file: Buffer) => Promise<CodedAnimation>
>;

/** A still image as an animation with one frame. */
function stillOf(
  size: { readonly width: number; readonly height: number },
  decode: CodedFrame['decode'],
): CodedAnimation {
  const region = { left: 0, top: 0, ...size };
  const frame = { region, ms: 0, disposal: 'keep', blend: 'replace', decode } as const;
  return { ...size, plays: 1, frames: [frame], over: exactOver };
}

/** Straight 8-bit RGBA; 16-bit samples are rounded. */
async function stillPixels(file: Buffer, width: number, height: number): Promise<Buffer> {
  const still = sharp(file, { failOn: 'warning', ignoreIcc: true, autoOrient: false });
  const { depth } = await still.metadata();
  const wide = depth === 'ushort';
  const { data, info } = await still
    .toColourspace(wide ? 'rgb16' : 'srgb')
    .ensureAlpha()
    .raw({ depth: wide ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  if (info.width !== width || info.height !== height || info.channels !== 4) {
    throw new Error(`frame decoded as ${info.width} × ${info.height}, ${info.channels} channels`);
  }
  if (!wide) return data;
  const samples = new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
  return Buffer.from(samples.map((sample) => Math.round(sample / 257)));
}

const signatures = {
  png: Buffer.from('89504e470d0a1a0a', 'hex'),
  trailer: Buffer.from([0x3b]),
};

/** GIF89a; unspecified behavior as in browsers. */
async function codedGif(file: Buffer): Promise<CodedAnimation> {
  if (!/^GIF8[79]a/.test(file.toString('latin1', 0, 6))) throw new Error('no GIF');
  let width = file.readUInt16LE(6);
  let height = file.readUInt16LE(8);
  let at = 13 + gifPaletteBytes(file[10] ?? 0);
  const globalPalette = file.subarray(13, at);
  const frames: CodedFrame[] = [];
  let plays = 1;
  let control: Buffer | null = null;
  while (at < file.length && file[at] !== 0x3b) {
    if (file[at] === 0x21) {
      const label = file[at + 1];
      const end = endOfSubBlocks(file, at + 2);
      const body = file.subarray(at + 2, end);
      if (label === 0xf9) control = body;
      if (label === 0xff && isLoopBlock(body)) {
        const loop = body.readUInt16LE(14);
        plays = loop === 0 ? 0 : loop + 1;
      }
      at = end;
    } else if (file[at] === 0x2c) {
      const descriptor = Buffer.from(file.subarray(at, at + 10));
      const region = {
        left: descriptor.readUInt16LE(1),
        top: descriptor.readUInt16LE(3),
        width: descriptor.readUInt16LE(5),
        height: descriptor.readUInt16LE(7),
      };
      const dataAt = at + 10 + gifPaletteBytes(descriptor[9] ?? 0);
      const end = endOfSubBlocks(file, dataAt + 1);
      if (frames.length === 0) {
        width = Math.max(width, region.left + region.width);
        height = Math.max(height, region.top + region.height);
      }
      descriptor.fill(0, 1, 5);
      const screen = Buffer.from(file.subarray(6, 13));
      descriptor.copy(screen, 0, 5, 9);
      const still = Buffer.concat([
        Buffer.from('GIF89a'),
        screen,
        globalPalette,
        ...(control ? [Buffer.from([0x21, 0xf9]), control] : []),
        descriptor,
        file.subarray(at + 10, end),
        signatures.trailer,
      ]);
      frames.push({
        region,
        decode: () => stillPixels(still, region.width, region.height),
        ms: 10 * (control?.readUInt16LE(2) ?? 0),
        disposal: gifDisposals[((control?.[1] ?? 0) >> 2) & 7] ?? 'keep',
        blend: 'over',
      });
      control = null;
      at = end;
    } else if (frames.length > 0) break;
    else throw new Error(`byte ${file[at]} begins no block`);
  }
  return { width, height, plays, frames, over: exactOver };
}

/** 4 is undefined in the specification; browsers treat it as 3, as drafts did, and 5 to 7 as 0. */
const gifDisposals: readonly FrameDisposal[] = [
  'keep',
  'keep',
  'background',
  'previous',
  'previous',
];

function gifPaletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function endOfSubBlocks(file: Buffer, from: number): number {
  let at = from;
  for (let length = file[at]; length !== 0; length = file[at]) {
    if (length === undefined) throw new Error('sub-blocks without an end');
    at += 1 + length;
  }
  return at + 1;
}

/** Whether this is a loop block; `body` is an application extension from the length of its name. */
function isLoopBlock(body: Buffer): boolean {
  const name = body.toString('latin1', 1, 12);
  const named = name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0';
  return named && body.length >= 17 && body[12] === 3 && body[13] === 1;
}

interface PngFrame extends Omit<CodedFrame, 'decode'> {
  readonly data: Buffer[];
}

/** PNG, third edition, §11.3.6. */
async function codedApng(file: Buffer): Promise<CodedAnimation> {
  let header = Buffer.alloc(0);
  const colors: Buffer[] = [];
  const frames: PngFrame[] = [];
  const defaultImage: Buffer[] = [];
  let control: Buffer | null = null;
  let sequence = 0;
  const inSequence = (data: Buffer) => {
    if (data.readUInt32BE(0) !== sequence++) throw new Error(`out of sequence: ${sequence - 1}`);
  };
  for (const { type, data } of pngChunks(file)) {
    if (type === 'IHDR') header = Buffer.from(data);
    else if (type === 'PLTE' || type === 'tRNS') colors.push(chunk(type, data));
    else if (type === 'acTL') control = data;
    else if (type === 'fcTL') {
      inSequence(data);
      if (frames.at(-1)?.data.length === 0) throw new Error('a frame without data');
      frames.push(pngFrame(data));
    } else if (type === 'IDAT') (frames.at(-1)?.data ?? defaultImage).push(data);
    else if (type === 'fdAT') {
      inSequence(data);
      frames.at(-1)?.data.push(data.subarray(4));
    }
  }
  const size = { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
  const pixels = (width: number, height: number, data: readonly Buffer[]) => {
    const sized = Buffer.from(header);
    sized.writeUInt32BE(width, 0);
    sized.writeUInt32BE(height, 4);
    const image = chunk('IDAT', Buffer.concat(data));
    const end = chunk('IEND', Buffer.alloc(0));
    const still = [signatures.png, chunk('IHDR', sized), ...colors, image, end];
    return stillPixels(Buffer.concat(still), width, height);
  };
  if (control === null) {
    return stillOf(size, () => pixels(size.width, size.height, defaultImage));
  }
  if (control.readUInt32BE(0) !== frames.length) throw new Error('frames are missing');
  const coded = frames.map(({ data, ...frame }): CodedFrame => {
    const { left, top, width, height } = frame.region;
    if (left + width > size.width || top + height > size.height) throw new Error('out of canvas');
    return { ...frame, decode: () => pixels(width, height, data) };
  });
  return { ...size, plays: control.readUInt32BE(4), frames: coded, over: exactOver };
}

function* pngChunks(file: Buffer): Generator<{ readonly type: string; readonly data: Buffer }> {
  if (!file.subarray(0, 8).equals(signatures.png)) throw new Error('no PNG');
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (file.readUInt32BE(end) !== crc32(file.subarray(at + 4, end))) {
      throw new Error(`wrong checksum of ${type}`);
    }
    yield { type, data: file.subarray(at + 8, end) };
    at = end + 4;
  }
}

function pngFrame(control: Buffer): PngFrame {
  const disposal = (['keep', 'background', 'previous'] as const)[control[24] ?? 3];
  const blend = (['replace', 'over'] as const)[control[25] ?? 2];
  if (!disposal || !blend) throw new Error('unknown disposal or blending');
  return {
    region: {
      left: control.readUInt32BE(12),
      top: control.readUInt32BE(16),
      width: control.readUInt32BE(4),
      height: control.readUInt32BE(8),
    },
    ms: (1000 * control.readUInt16BE(20)) / (control.readUInt16BE(22) || 100),
    disposal,
    blend,
    data: [],
  };
}

/** RFC 9649 §2.7.1.1. */
async function codedWebp(file: Buffer): Promise<CodedAnimation> {
  const isWebp =
    file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP';
  if (!isWebp || file.readUInt32LE(4) + 8 !== file.length) throw new Error('no WebP of its length');
  const chunks = [...webpChunks(file)];
  const header = chunks.find(({ type }) => type === 'VP8X')?.data;
  const control = chunks.find(({ type }) => type === 'ANIM')?.data;
  if (!header || !control || ((header[0] ?? 0) & 2) === 0) {
    const { width, height } = await sharp(file).metadata();
    return stillOf({ width, height }, () => stillPixels(file, width, height));
  }
  const width = header.readUIntLE(4, 3) + 1;
  const height = header.readUIntLE(7, 3) + 1;
  const frames: CodedFrame[] = [];
  for (const { data } of chunks.filter(({ type }) => type === 'ANMF')) {
    const region = {
      left: 2 * data.readUIntLE(0, 3),
      top: 2 * data.readUIntLE(3, 3),
      width: data.readUIntLE(6, 3) + 1,
      height: data.readUIntLE(9, 3) + 1,
    };
    if (region.left + region.width > width || region.top + region.height > height) {
      throw new Error('out of canvas');
    }
    const flags = data[15] ?? 0;
    frames.push({
      region,
      decode: () => stillPixels(frameAsFile(data), region.width, region.height),
      ms: data.readUIntLE(12, 3),
      disposal: flags & 1 ? 'background' : 'keep',
      blend: flags & 2 ? 'replace' : 'over',
    });
  }
  return { width, height, plays: control.readUInt16LE(4), frames, over: libwebpOver };
}

/** A frame as a separate file. */
function frameAsFile(frame: Buffer): Buffer {
  const images = [...webpChunks(frame, 16)].filter(({ type }) => /^(ALPH|VP8 |VP8L)$/.test(type));
  const parts = images.map(({ type, data }) => webpChunk(type, data));
  if (images[0]?.type === 'ALPH') {
    const header = Buffer.concat([Buffer.from([0x10, 0, 0, 0]), frame.subarray(6, 12)]);
    parts.unshift(webpChunk('VP8X', header));
  }
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...parts]));
}

import { ascii, joinBytes, uint32 } from '../../container/assemble.ts';
import type { Slices } from '../../slices.ts';
import { type BitWriter, putU64 } from './bits.ts';
import { type EntropyCoder, tokenOf } from './entropy-coder.ts';
import { expectComplete, type JxlKernel } from './kernel.ts';

const headerBytes = 128;
const contexts = 41;
const insert = 1;

/**
 * Encodes a profile (ISO/IEC 18181-1 §E.4): its header as the difference to a predicted one, and the rest unchanged.
 * The kernel places it behind its result.
 *
 * @param before the preceding bits, whose incomplete byte is written together with it
 * @returns the bytes in the arena, padded to whole bytes
 */
export function* codedIccProfile(
  before: BitWriter,
  icc: Uint8Array,
  kernel: JxlKernel,
  coder: EntropyCoder,
): Slices<Uint8Array> {
  const encoded = encodedProfile(icc);
  const length = encoded.head.length + encoded.rest.length;
  putU64(before, length);
  const from = kernel.codestreamLength();
  const { value, count } = before.takeLoose();
  coder.put(value, count);
  yield* coder.putLongStream(length, contexts, (tokens) => fill(tokens, encoded));
  kernel.endSection();
  expectComplete(kernel);
  const at = kernel.codestreamAt() + from;
  return kernel.bytes.subarray(at, at + kernel.codestreamLength() - from);
}

/** Writes bytes with their contexts, which depend on the two previous bytes, after the length of a header. */
function fill(tokens: Uint32Array, { head, rest }: EncodedProfile): void {
  let [last, former] = [0, 0];
  for (let i = 0; i < tokens.length; i += 1) {
    const byte = (i < head.length ? head[i] : rest[i - head.length]) ?? 0;
    const kinds = (lastKinds[last] ?? 0) + 8 * (formerKinds[former] ?? 0);
    tokens[i] = tokenOf(i <= headerBytes ? 0 : 1 + kinds, byte);
    [last, former] = [byte, last];
  }
}

/** A profile prepared for encoding: its commands and header bytes, and the remaining bytes. */
interface EncodedProfile {
  readonly head: Uint8Array;
  readonly rest: Uint8Array;
}

export function encodedProfile(icc: Uint8Array): EncodedProfile {
  const header = icc.subarray(0, headerBytes);
  const rest = icc.subarray(headerBytes);
  // No tag list: all remaining bytes are inserted.
  const commands = rest.length > 0 ? [0, insert, ...variableLength(rest.length)] : [];
  const likely = likelyHeader(icc);
  const head = joinBytes(
    Uint8Array.of(...variableLength(icc.length), ...variableLength(commands.length), ...commands),
    header.map((byte, i) => byte - (likely[i] ?? 0)),
  );
  return { head, rest };
}

/** A number in groups of seven bits, lowest first. */
function variableLength(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...variableLength(value >>> 7)];
}

/** The predicted header; each byte is predicted from those before it. */
function likelyHeader(icc: Uint8Array): Uint8Array {
  const likely = new Uint8Array(headerBytes);
  likely.set(uint32(icc.length), 0);
  likely.set(Uint8Array.of(4), 8);
  likely.set(ascii('mntrRGB XYZ '), 12);
  likely.set(ascii('acsp'), 36);
  likely.set(Uint8Array.of(0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d), 68);
  likely.set(icc.subarray(4, 8), 80);
  const [first, second] = icc.subarray(40, 42);
  const platform = [first, second].map((byte) => String.fromCharCode(byte ?? 0)).join('');
  if (platform.startsWith('A')) likely.set(ascii('PPL'), 41);
  if (platform.startsWith('M')) likely.set(ascii('SFT'), 41);
  if (platform === 'SG') likely.set(ascii('I '), 42);
  if (platform === 'SU') likely.set(ascii('NW'), 42);
  return likely;
}

function kindOfLast(byte: number): number {
  const common = commonKind(byte);
  if (common !== null) return common;
  if (byte <= 1) return 2 + byte;
  if (byte < 16) return 4;
  if (byte === 255) return 6;
  return byte > 240 ? 5 : 7;
}

function kindOfFormer(byte: number): number {
  const common = commonKind(byte);
  if (common !== null) return common;
  if (byte < 16) return 2;
  return byte > 240 ? 3 : 4;
}

/** The context of common characters: letters, and digits with their punctuation; null for others. */
function commonKind(byte: number): number | null {
  const character = String.fromCharCode(byte);
  if (/[a-z]/i.test(character)) return 0;
  return /[0-9.,]/.test(character) ? 1 : null;
}

const lastKinds = Uint8Array.from({ length: 256 }, (_, byte) => kindOfLast(byte));
const formerKinds = Uint8Array.from({ length: 256 }, (_, byte) => kindOfFormer(byte));

import { ascii, joinBytes, uint32 } from '../../container/assemble.ts';
import { type BitWriter, putU64 } from './bits.ts';
import type { EntropyCoder, Token } from './entropy-coder.ts';
import { expectComplete, type JxlKernel } from './kernel.ts';

const headerBytes = 128;
const contexts = 41;
const insert = 1;

/**
 * Writes a profile (ISO/IEC 18181-1 §E.4): its header less what is likely to stand there, and the rest as it is. The kernel
 * codes it behind its result, from where it is taken.
 */
export function putIccProfile(
  sink: BitWriter,
  icc: Uint8Array,
  kernel: JxlKernel,
  coder: EntropyCoder,
): void {
  const encoded = encodedProfile(icc);
  putU64(sink, encoded.length);
  const from = kernel.codestreamLength();
  coder.putStream(
    Array.from(encoded, (byte, i): Token => [contextAt(encoded, i), byte]),
    contexts,
  );
  const loose = kernel.looseBits();
  const whole = kernel.codestreamLength() - from;
  kernel.endSection();
  expectComplete(kernel);
  const at = kernel.codestreamAt() + from;
  const length = whole + Math.ceil(loose / 8);
  sink.putStream(kernel.bytes.subarray(at, at + length), 8 * whole + loose);
}

/** A profile as it is coded: what it is made of, and the bytes for that. */
export function encodedProfile(icc: Uint8Array): Uint8Array {
  const header = icc.subarray(0, headerBytes);
  const rest = icc.length - header.length;
  // no list of tags: all that follows is inserted
  const commands = rest > 0 ? [0, insert, ...variableLength(rest)] : [];
  const likely = likelyHeader(icc);
  return joinBytes(
    Uint8Array.of(...variableLength(icc.length), ...variableLength(commands.length), ...commands),
    header.map((byte, i) => byte - (likely[i] ?? 0)),
    icc.subarray(headerBytes),
  );
}

/** A number in groups of seven bits, the lowest first. */
function variableLength(value: number): number[] {
  const low = value & 0x7f;
  return value < 0x80 ? [low] : [low | 0x80, ...variableLength(value >>> 7)];
}

/** What a header is likely to say, by what stands before each byte of it. */
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

/** By the two bytes before, behind what is as long as a header. */
function contextAt(bytes: Uint8Array, i: number): number {
  if (i <= headerBytes) return 0;
  return 1 + kindOfLast(bytes[i - 1] ?? 0) + 8 * kindOfFormer(bytes[i - 2] ?? 0);
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

/** Letters, and what numbers are made of. */
function commonKind(byte: number): number | null {
  const character = String.fromCharCode(byte);
  if (/[a-z]/i.test(character)) return 0;
  return /[0-9.,]/.test(character) ? 1 : null;
}

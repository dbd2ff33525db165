import type { Context } from 'hono';
import { z } from 'zod';
import { fromBase62, toBase62 } from '../../access/base62.ts';
import { type IssuedOutput, type Output, outputLife } from '../../access/output-id.ts';
import { ApiError } from '../../errors.ts';
import { formatFacts, type ImageType } from '../../image/formats/facts.ts';
import { type Hold, ledger } from '../../image/wasm/memory-ledger.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { keepOutput, type OutputPart, openOutput } from '../../store/outputs.ts';
import { type OpenedFile, sealingBytes } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import type { Picture } from '../optimize/answer.ts';
import type { HeldBytes } from '../optimize/held-body.ts';
import type { Job } from '../optimize/scheduler.ts';
import type { TinifyEnv } from './context.ts';

// What is kept of an upload until it is fetched, in memory that the ledger counts.

/** How often memory is asked for, and how long its owner waits in between, in milliseconds. */
const maxMemoryTries = 250;
const memoryInterval = 20;

/**
 * Waits for the memory that sealing or opening a file takes.
 * @throws ApiError `overloaded` when there is none for five seconds
 */
async function sealingMemory(fileBytes: number): Promise<Hold> {
  for (let tries = 0; tries < maxMemoryTries; tries += 1) {
    const hold = ledger.hold(sealingBytes(fileBytes));
    if (hold) return hold;
    await scheduler.wait(memoryInterval);
  }
  throw overloaded();
}

const types = formatFacts.map(({ type }) => type);

/** A type as the mark of an output: its place among all types, as a digit of base62. */
export function markOf(type: ImageType): string {
  return toBase62(BigInt(types.indexOf(type)), 1);
}

/** The type that a mark stands for; null: none that is known any more. */
export function typeOf(mark: string): ImageType | null {
  return types[fromBase62(mark)] ?? null;
}

/** Keeps an image as it was uploaded. @throws ApiError `overloaded`, and Error when the store fails */
export async function keepUpload(
  c: Context<TinifyEnv>,
  output: Output,
  held: HeldBytes,
): Promise<void> {
  const hold = await sealingMemory(held.length);
  const expiresAt = Date.now() + outputLife;
  try {
    await keepOutput(c.env, output, 'upload', { bytes: held.bytes, head: {}, expiresAt });
  } finally {
    hold.release();
  }
}

/** What is said of a result beside its bytes. */
export const keptHead = z.object({
  type: z.enum(formatFacts.map(({ type }) => type)),
  width: z.number(),
  height: z.number(),
  /** Of the upload. */
  bytesIn: z.number(),
});

/**
 * Keeps what was made of an upload, and takes over its memory.
 * @param now when its id is issued
 * @throws Error when the store fails
 */
export async function keepResult(
  c: Context<TinifyEnv>,
  output: Output,
  { source, result }: Picture,
  now: number,
): Promise<void> {
  const { bytes, type, width, height } = result;
  const hold = ledger.keep(bytes.buffer.byteLength + sealingBytes(bytes.length));
  const head: z.infer<typeof keptHead> = { type, width, height, bytesIn: source.fileBytes };
  try {
    await keepOutput(c.env, output, 'result', { bytes, head, expiresAt: now + outputLife });
  } finally {
    bytes.buffer.transfer(0);
    hold.release();
  }
}

/** How long what has been kept may not be seen everywhere, in milliseconds. */
const visibleAfter = 60_000;

/** Finds a part of an output. @throws ApiError `overloaded` for what may yet be seen, `not_found` for what is over */
export async function findKept(
  c: Context<TinifyEnv>,
  output: IssuedOutput,
  part: OutputPart,
): Promise<OpenedFile> {
  const found = await openOutput(c.env, output, part);
  if (found) return found;
  const isNew = Date.now() < output.issuedAt + visibleAfter;
  throw isNew ? overloaded() : new ApiError('not_found');
}

/** Reads what was kept into memory that the ledger counts, once there is some. */
export async function readKept(file: OpenedFile, job: Job): Promise<HeldBytes> {
  const held = await job.admitted(file.length, bodyLimits.maxFileBytes);
  let hold: Hold | undefined;
  try {
    hold = await sealingMemory(file.length);
    for await (const piece of file.pieces()) held.append(piece);
    held.complete();
    return held;
  } catch (error) {
    held.end();
    throw error;
  } finally {
    hold?.release();
  }
}

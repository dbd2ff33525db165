import type { Context } from 'hono';
import { z } from 'zod';
import { fromBase62, toBase62 } from '../../access/hashing.ts';
import { type IssuedOutput, type Output, outputLife } from '../../access/output-id.ts';
import { ApiError } from '../../errors.ts';
import { type Hold, ledger } from '../../image/engine.ts';
import { formatFacts, type ImageType } from '../../image/formats/facts.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { keepOutput, type OutputPart, openOutput } from '../../store/outputs.ts';
import { type OpenedFile, sealingBytes } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import type { HeldBytes } from '../optimize/held-body.ts';
import type { Job } from '../optimize/job.ts';
import type { FinishedWork } from '../optimize/serve.ts';
import type { TinifyEnv } from './key.ts';

// Stores uploads and their results until they are fetched, in memory that the ledger counts.

/** Maximum number of attempts to get memory, and the delay between them in milliseconds. */
const maxMemoryTries = 250;
const memoryInterval = 20;

/**
 * Waits for the memory that sealing or opening a file takes.
 * @throws ApiError `overloaded` if there is none for five seconds
 */
async function sealingMemory(fileBytes: number): Promise<Hold> {
  for (let tries = 0; tries < maxMemoryTries; tries += 1) {
    const hold = ledger.holdBeside(sealingBytes(fileBytes));
    if (hold) return hold;
    await scheduler.wait(memoryInterval);
  }
  throw overloaded();
}

const types = formatFacts.map(({ type }) => type);

/** Encodes a type as the mark of an output: its index in the list of types, as a base62 digit. */
export function markOf(type: ImageType): string {
  return toBase62(BigInt(types.indexOf(type)), 1);
}

/** The type that a mark stands for; null if it is no longer known. */
export function typeOf(mark: string): ImageType | null {
  return types[fromBase62(mark)] ?? null;
}

/**
 * Stores an uploaded image.
 * @throws ApiError `overloaded`, and Error if the store fails
 */
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

/** The metadata that is stored with a result. */
export const keptHead = z.object({
  type: z.enum(formatFacts.map(({ type }) => type)),
  width: z.number(),
  height: z.number(),
  /** Size of the upload in bytes. */
  bytesIn: z.number(),
});

/**
 * Stores the result for an upload, and takes over its memory.
 * @param now when its id is issued
 * @throws Error if the store fails
 */
export async function keepResult(
  c: Context<TinifyEnv>,
  output: Output,
  { work, picture }: Pick<FinishedWork, 'work' | 'picture'>,
  now: number,
): Promise<void> {
  const { bytes, type, width, height } = picture;
  const hold = ledger.keep(bytes.buffer.byteLength + sealingBytes(bytes.length));
  const head: z.infer<typeof keptHead> = { type, width, height, bytesIn: work.inputBytes };
  try {
    await keepOutput(c.env, output, 'result', { bytes, head, expiresAt: now + outputLife });
  } finally {
    bytes.buffer.transfer(0);
    hold.release();
  }
}

/** How long it may take in milliseconds until stored data is visible everywhere. */
const visibleAfter = 60_000;

/**
 * Finds a part of an output.
 * @throws ApiError `overloaded` if the part may still become visible, `not_found` if it no longer exists
 */
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

/** Reads a stored file into memory that the ledger counts, as soon as there is enough. */
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

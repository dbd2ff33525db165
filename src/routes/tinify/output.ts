import type { Context } from 'hono';
import { z } from 'zod';
import { type IssuedOutput, readOutputId } from '../../access/output-id.ts';
import { ApiError } from '../../errors.ts';
import { factsOf, formatFacts, type ImageType } from '../../image/formats/facts.ts';
import type { OptimizeOptions } from '../../image/pipeline/options.ts';
import type { Hold } from '../../image/wasm/memory-ledger.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { isOptimized } from '../../policy/quota.ts';
import { newId } from '../../store/database.ts';
import { type OutputPart, openOutput } from '../../store/outputs.ts';
import type { OpenedFile } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import type { HeldBytes } from '../optimize/held-body.ts';
import {
  allowanceOf,
  filePseudonym,
  giveFileBack,
  prepareFile,
  type ReservedFile,
  settleFile,
} from '../optimize/reservation.ts';
import { type Job, turns } from '../optimize/scheduler.ts';
import { send } from '../optimize/send.ts';
import { serveImage } from '../optimize/serve.ts';
import { nameOf, optionsOf, plainOptions, readCommands } from './commands.ts';
import type { TinifyEnv } from './context.ts';
import { awaitingFetch, reserveForKey, sealingMemory, typeOf } from './reserve.ts';
import { usageHeaders } from './usage.ts';

/**
 * GET and POST /output/{id}: what has been made of an uploaded image, or what commands make of it. Both methods take commands:
 * some clients send them with a GET. Each result is charged once, however often it is fetched.
 * @throws ApiError `not_found` for an output that is over, was never there, or is another account's
 */
export async function fetchOutput(c: Context<TinifyEnv>): Promise<Response> {
  if (c.req.method === 'HEAD') {
    throw new ApiError('method_not_allowed', undefined, { headers: { Allow: 'GET, POST' } });
  }
  const { tokenSecrets } = c.var.config;
  const output = await readOutputId(c.req.param('id') ?? '', tokenSecrets);
  if (!output || Date.now() > output.expiresAt) throw new ApiError('not_found');
  const commands = await readCommands(c.req.raw);
  const options = commands ? optionsOf(commands, typeOf(output.mark)) : plainOptions;
  const name = nameOf(options);
  const file = await filePseudonym(c, `${output.random} ${name ?? ''}`);
  const takesOver = awaitingFetch(output.random);
  const reserved = await reserveForKey(c, newId('res'), { takesOver, file });
  if (reserved.userId !== output.userId) {
    giveFileBack(c, reserved);
    throw new ApiError('not_found');
  }
  const fetched = { output, reserved, file };
  return name === null ? sendResult(c, fetched) : makeResult(c, fetched, options);
}

/** A result that somebody may fetch, with a file reserved for it. */
interface Fetched {
  readonly output: IssuedOutput;
  readonly reserved: ReservedFile;
  /** The result by a pseudonym, by which it is charged once. */
  readonly file: string;
}

/** Makes something else of the image as it was uploaded. */
function makeResult(
  c: Context<TinifyEnv>,
  { output, reserved, file }: Fetched,
  options: OptimizeOptions,
): Promise<Response> {
  const allowance = allowanceOf(c, reserved, { file });
  const { account } = allowance;
  const all = allowance.remaining(false);
  return serveImage(c, allowance, {
    async read(enter) {
      const kept = await find(c, output, 'upload');
      try {
        const held = await readKept(kept, enter(kept.length, options));
        return { held, options, name: null, fields: new Map() };
      } finally {
        await kept.close();
      }
    },
    answer({ outcome: { result }, verdict }) {
      const { length } = result.bytes;
      const { body, sent } = send(result.bytes, account);
      const charged = all - allowance.remaining(verdict.optimized);
      return { response: pictureResponse(c, body, { ...result, length }, charged), sent };
    },
  });
}

/** CPU time that opening a result takes for a mebibyte, in milliseconds. */
const openingMs = 3;

const keptHead = z.object({
  type: z.enum(formatFacts.map(({ type }) => type)),
  width: z.number(),
  height: z.number(),
  /** Of the upload. */
  bytesIn: z.number(),
});

/** Sends what was made when the image was uploaded. */
async function sendResult(
  c: Context<TinifyEnv>,
  { output, reserved, file }: Fetched,
): Promise<Response> {
  const { userId } = reserved;
  let kept: OpenedFile | undefined;
  let job: Job | undefined;
  let isSettled = false;
  try {
    kept = await find(c, output, 'result');
    const { length } = kept;
    const { bytesIn, ...head } = keptHead.parse(kept.head);
    const cpuMs = (openingMs * length) / 2 ** 20;
    const isFree = await prepareFile(c, reserved, file, cpuMs);
    job = turns.enter(userId, cpuMs, c.req.raw.signal);
    const buffer = (await readKept(kept, job)).handOver();
    if (buffer === null) throw overloaded();
    const { body, sent } = send(new Uint8Array(buffer, 0, length), userId);
    const answered = { bytesIn, bytesOut: length };
    const charged = isOptimized(bytesIn, length);
    settleFile(c, reserved, { answered, charged, file, cpuMs }, sent);
    isSettled = true;
    return pictureResponse(c, body, { ...head, length }, charged && !isFree ? 1 : 0);
  } finally {
    await kept?.close();
    job?.end();
    if (!isSettled) giveFileBack(c, reserved);
  }
}

/** How long what has been kept may not be seen everywhere, in milliseconds. */
const visibleAfter = 60_000;

/** @throws ApiError `overloaded` for what may yet be seen, `not_found` for what is over */
async function find(
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
async function readKept(file: OpenedFile, job: Job): Promise<HeldBytes> {
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

interface PictureHead {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  /** In bytes. */
  readonly length: number;
}

function pictureResponse(
  c: Context<TinifyEnv>,
  body: ReadableStream,
  { type, width, height, length }: PictureHead,
  charged: number,
): Response {
  return c.body(body, 200, {
    'Content-Type': factsOf(type).mediaType,
    'Content-Length': String(length),
    'Cache-Control': 'no-store',
    'Image-Width': String(width),
    'Image-Height': String(height),
    ...usageHeaders(c, charged),
  });
}

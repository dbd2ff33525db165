import type { Context } from 'hono';
import { z } from 'zod';
import { type OutputId, readOutputId } from '../../access/output-id.ts';
import { ApiError } from '../../errors.ts';
import { factsOf, formatFacts, type ImageType } from '../../image/formats/facts.ts';
import { ledger } from '../../image/wasm/memory-ledger.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { isOptimized } from '../../policy/quota.ts';
import { newId } from '../../store/database.ts';
import { type OutputPart, openOutput } from '../../store/outputs.ts';
import { type OpenedFile, sealingBytes } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import { repeated } from '../optimize/bookkeeping.ts';
import type { HeldBytes } from '../optimize/held-body.ts';
import {
  allowanceOf,
  fileName,
  giveFileBack,
  prepareFile,
  type ReservedFile,
  settleFile,
} from '../optimize/reservation.ts';
import { type Job, turns } from '../optimize/scheduler.ts';
import { send } from '../optimize/send.ts';
import { serveImage } from '../optimize/serve.ts';
import { type Commands, optionsOf, readCommands } from './commands.ts';
import { awaitingFetch, reserveForKey } from './reserve.ts';
import { usageHeaders } from './usage.ts';
import type { TinifyEnv } from './wire.ts';

/**
 * GET and POST /output/{id}: what has been made of an uploaded image, or what commands make of it. Both methods take commands:
 * some clients send them with a GET. Each result is charged once, however often it is fetched.
 * @throws ApiError `not_found` for an output that is over, was never there, or is another account's
 */
export async function fetchOutput(c: Context<TinifyEnv>): Promise<Response> {
  if (c.req.method === 'HEAD') throw new ApiError('method_not_allowed');
  const { tokenSecrets } = c.var.config;
  const output = await readOutputId(c.req.param('id') ?? '', tokenSecrets);
  if (!output || Date.now() > output.expiresAt) throw new ApiError('not_found');
  const commands = await readCommands(c.req.raw);
  const takesOver = awaitingFetch(output.random);
  const reserved = await reserveForKey(c, newId('res'), { takesOver });
  if (reserved.userId !== output.userId) {
    giveBack(c, reserved);
    throw new ApiError('not_found');
  }
  const name = `${output.random} ${JSON.stringify(commands)}`;
  return commands
    ? makeResult(c, output, reserved, { commands, name })
    : sendResult(c, output, reserved, name);
}

function giveBack(c: Context<TinifyEnv>, reserved: ReservedFile): void {
  c.executionCtx.waitUntil(repeated(() => giveFileBack(c, reserved)).catch(() => {}));
}

/** Makes something else of the image as it was uploaded. */
function makeResult(
  c: Context<TinifyEnv>,
  output: OutputId,
  reserved: ReservedFile,
  { commands, name }: { readonly commands: Commands; readonly name: string },
): Promise<Response> {
  const options = optionsOf(commands);
  const allowance = allowanceOf(c, reserved, { name });
  const { account } = allowance;
  const all = allowance.remaining(false);
  return serveImage(c, allowance, {
    async read(enter) {
      const file = await find(c, output, 'upload');
      try {
        const held = await readKept(file, enter(file.length, options));
        return { held, options, name: null, fields: new Map() };
      } finally {
        await file.close();
      }
    },
    answer({ outcome: { result }, verdict }) {
      const { body, sent } = send(result.bytes, account);
      const charged = all - allowance.remaining(verdict.optimized);
      return {
        response: pictureResponse(c, body, { ...result, length: result.bytes.length }, charged),
        sent,
      };
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
  /** That the work was predicted to take. */
  cpuMs: z.number(),
});

/** Sends what was made when the image was uploaded. */
async function sendResult(
  c: Context<TinifyEnv>,
  output: OutputId,
  reserved: ReservedFile,
  name: string,
): Promise<Response> {
  const { userId } = reserved;
  let found: OpenedFile | undefined;
  let job: Job | undefined;
  let isSettled = false;
  try {
    found = await find(c, output, 'result');
    const { bytesIn, cpuMs, ...kept } = keptHead.parse(found.head);
    const file = await fileName(c, name);
    const isFree = await prepareFile(c, reserved, file, cpuMs);
    job = turns.enter(userId, (openingMs * found.length) / 2 ** 20, c.req.raw.signal);
    const held = await readKept(found, job);
    const buffer = held.handOver();
    if (buffer === null) throw overloaded();
    const { body, sent } = send(new Uint8Array(buffer, 0, found.length), userId);
    const answered = { bytesIn, bytesOut: found.length };
    const charged = isOptimized(bytesIn, found.length);
    settleFile(c, reserved, { answered, charged, file, cpuMs }, sent);
    isSettled = true;
    return pictureResponse(c, body, { ...kept, length: found.length }, charged && !isFree ? 1 : 0);
  } finally {
    await found?.close();
    job?.end();
    if (!isSettled) giveBack(c, reserved);
  }
}

/** How long what has been kept may not be seen everywhere, in milliseconds. */
const visibleAfter = 60_000;

/** @throws ApiError `overloaded` for what may yet be seen, `not_found` for what is over */
async function find(
  c: Context<TinifyEnv>,
  output: OutputId,
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
  const hold = ledger.keep(sealingBytes);
  try {
    for await (const piece of file.pieces()) held.append(piece);
    held.complete();
    return held;
  } catch (error) {
    held.end();
    throw error;
  } finally {
    hold.release();
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

import type { Context } from 'hono';
import { pseudonym } from '../../access/hashing.ts';
import { type IssuedOutput, readOutputId } from '../../access/output-id.ts';
import { ApiError } from '../../errors.ts';
import { isOptimized, type OptimizeOptions } from '../../image/engine.ts';
import { factsOf, type ImageType } from '../../image/formats/facts.ts';
import { newId } from '../../store/database.ts';
import type { OpenedFile } from '../../store/sealed-file.ts';
import { overloaded } from '../http/rate-limit.ts';
import type { Job } from '../optimize/job.ts';
import {
  allowanceOf,
  giveFileBack,
  type ReservedFile,
  settleFile,
} from '../optimize/reservation.ts';
import { turns } from '../optimize/scheduler.ts';
import { send } from '../optimize/send.ts';
import { serveImage } from '../optimize/serve.ts';
import { nameOf, optionsOf, plainOptions, readCommands } from './commands.ts';
import { findKept, keptHead, readKept, typeOf } from './kept.ts';
import { awaitingFetch, reserveForKey, type TinifyEnv, usageHeaders } from './key.ts';

/**
 * GET and POST /output/{id}: returns the result for an uploaded image, or applies commands to the upload. Both methods
 * take commands, because some clients send them with GET. Each result is charged once, however often it is fetched.
 * @throws ApiError `not_found` for an output that has expired, never existed, or belongs to another account
 */
export async function fetchOutput(c: Context<TinifyEnv>): Promise<Response> {
  const { codeSecret, tokenSecrets } = c.var.config;
  const output = await readOutputId(c.req.param('id') ?? '', tokenSecrets);
  if (!output || Date.now() > output.expiresAt) throw new ApiError('not_found');
  const commands = await readCommands(c.req.raw);
  const options = commands ? optionsOf(commands, typeOf(output.mark)) : plainOptions;
  const name = nameOf(options);
  const file = await pseudonym('file', `${output.random} ${name ?? ''}`, codeSecret);
  const takesOver = awaitingFetch(output.random);
  const job = await turns.arrive(c.var.key.mailboxId, c.req.raw.signal);
  try {
    const reserved = await reserveForKey(c, newId('res'), { takesOver, file });
    if (reserved.userId !== output.userId) {
      giveFileBack(c, reserved);
      throw new ApiError('not_found');
    }
    const fetched = { output, reserved, file, job };
    return await (name === null ? sendResult(c, fetched) : makeResult(c, fetched, options));
  } finally {
    job.end();
  }
}

/** A requested result, with a file reserved for it. */
interface RequestedOutput {
  readonly output: IssuedOutput;
  readonly reserved: ReservedFile;
  /** The pseudonym of the result, under which it is charged once. */
  readonly file: string;
  readonly job: Job;
}

/** Applies commands to the uploaded image. */
function makeResult(
  c: Context<TinifyEnv>,
  { output, reserved, file, job }: RequestedOutput,
  options: OptimizeOptions,
): Promise<Response> {
  const allowance = allowanceOf(c, reserved, file);
  return serveImage(c, job, allowance, {
    async read(enter) {
      const stored = await findKept(c, output, 'upload');
      try {
        const held = await readKept(stored, enter(stored.length, options));
        return { held, options, name: null };
      } finally {
        await stored.close();
      }
    },
    respond({ picture }) {
      const { length } = picture.bytes;
      const { body, sent } = send(picture.bytes, {
        owner: allowance.account,
        client: c.req.raw.signal,
      });
      const counted = countedFiles(picture.optimized, reserved);
      return { response: pictureResponse(c, body, { ...picture, length }, counted), sent };
    },
  });
}

/** CPU time in milliseconds for opening one mebibyte of a result. */
const openingMs = 3;

/** Sends the result that was created when the image was uploaded. */
async function sendResult(
  c: Context<TinifyEnv>,
  { output, reserved, file, job }: RequestedOutput,
): Promise<Response> {
  let stored: OpenedFile | undefined;
  let isSettled = false;
  try {
    stored = await findKept(c, output, 'result');
    const { length } = stored;
    const { bytesIn, ...head } = keptHead.parse(stored.head);
    const cpuMs = (openingMs * length) / 2 ** 20;
    job.expect(cpuMs);
    const buffer = (await readKept(stored, job)).handOver();
    if (buffer === null) throw overloaded();
    const { body, sent } = send(new Uint8Array(buffer, 0, length), {
      owner: reserved.mailboxId,
      client: c.req.raw.signal,
    });
    const answered = { bytesIn, bytesOut: length };
    const charged = isOptimized(bytesIn, length);
    settleFile(c, reserved, { answered, charged, file, cpuMs }, sent);
    isSettled = true;
    return pictureResponse(c, body, { ...head, length }, countedFiles(charged, reserved));
  } finally {
    await stored?.close();
    if (!isSettled) giveFileBack(c, reserved);
  }
}

/** Number of files that a response adds to the count of its key. */
function countedFiles(charged: boolean, { isRepeated = false }: ReservedFile): number {
  return charged && !isRepeated ? 1 : 0;
}

interface PictureHead {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  /** Size in bytes. */
  readonly length: number;
}

function pictureResponse(
  c: Context<TinifyEnv>,
  body: ReadableStream,
  { type, width, height, length }: PictureHead,
  counted: number,
): Response {
  return c.body(body, 200, {
    'Content-Type': factsOf(type).mediaType,
    'Content-Length': String(length),
    'Cache-Control': 'no-store',
    'Image-Width': String(width),
    'Image-Height': String(height),
    ...usageHeaders(c, counted),
  });
}

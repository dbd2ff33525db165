import type { Context } from 'hono';
import { z } from 'zod';
import {
  issueOutputId,
  type NewOutput,
  newOutput,
  newOutputRandom,
} from '../../access/output-id.ts';
import { factsOf } from '../../image/formats/facts.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { sourceRules } from '../../policy/source-url.ts';
import { dropOutput, maxOutputBytes } from '../../store/outputs.ts';
import { linkOrigin } from '../http/context.ts';
import { isJson, withJsonText } from '../http/json-body.ts';
import { bodyTooLarge } from '../optimize/held-body.ts';
import type { Job } from '../optimize/job.ts';
import { readRaw } from '../optimize/raw-body.ts';
import { fetchImage } from '../optimize/remote/fetch-image.ts';
import { allowanceOf } from '../optimize/reservation.ts';
import { turns } from '../optimize/scheduler.ts';
import { type Allowance, type Enter, type FinishedWork, serveImage } from '../optimize/serve.ts';
import { bodyOf, contentLength, type Upload } from '../optimize/upload.ts';
import { parsedJson, plainOptions } from './commands.ts';
import { keepResult, keepUpload, markOf } from './kept.ts';
import { awaitingFetch, reserveForKey, type TinifyEnv, usageHeaders } from './key.ts';
import { TinifyError, tinifyJson } from './wire.ts';

/**
 * POST /shrink: optimizes an image, and stores both the upload and the result until they are fetched. The file stays
 * reserved until the result is first fetched, and nothing is charged before that.
 */
export async function shrinkImage(c: Context<TinifyEnv>): Promise<Response> {
  const job = await turns.arrive(c.var.key.mailboxId, c.req.raw.signal);
  try {
    return await storeShrunkImage(c, job);
  } finally {
    job.end();
  }
}

async function storeShrunkImage(c: Context<TinifyEnv>, job: Job): Promise<Response> {
  const random = newOutputRandom();
  const reserved = await reserveForKey(c, awaitingFetch(random), { awaitsFetch: true });
  const base = allowanceOf(c, reserved);
  const allowance: Allowance = {
    ...base,
    settle(end, sent) {
      if (end.answered === null) base.settle(end, sent);
    },
  };
  let output: NewOutput | undefined;
  try {
    return await serveImage(c, job, allowance, {
      read: (enter) => readImage(c, enter),
      async begin({ held }) {
        output = await newOutput(random, reserved.userId);
        await keepUpload(c, output, held);
      },
      async respond(finished) {
        if (!output) throw new Error('nothing was begun');
        const { work, picture } = finished;
        const { length } = picture.bytes;
        // Taken only now: the result can be fetched for ten minutes from here, however long the work has taken.
        const now = Date.now();
        await keepResult(c, output, finished, now);
        const mark = markOf(work.inputType);
        const id = await issueOutputId(output, { mark, now }, c.var.config.tokenSecrets);
        const response = createdResponse(c, finished, length, `${linkOrigin(c)}/output/${id}`);
        return { response, sent: Promise.resolve(true) };
      },
    });
  } catch (error) {
    if (output) c.executionCtx.waitUntil(dropOutput(c.env, output, 'upload').catch(() => {}));
    throw error;
  }
}

/** Reads the image, or fetches it from a URL. Clients label images with any media type, but a URL always as JSON. */
async function readImage(c: Context<TinifyEnv>, enter: Enter): Promise<Upload> {
  const request = c.req.raw;
  const maxFileBytes = maxOutputBytes(c.env, bodyLimits.maxFileBytes);
  const upload = { options: plainOptions, name: null };
  const contentType = request.headers.get('Content-Type') ?? '';
  if (isJson(contentType)) {
    const url = await withJsonText(request, sourceUrl);
    const rules = sourceRules(c.var.config, request.url);
    const job = enter(null, plainOptions);
    const held = await fetchImage(url, rules, { job, client: request.signal });
    if (held.length <= maxFileBytes) return { held, ...upload };
    held.end();
    throw bodyTooLarge(maxFileBytes);
  }
  const length = contentLength(request);
  if (!request.body || length === 0) throw noInput();
  const body = bodyOf(request, length, maxFileBytes);
  const held = await readRaw(
    body,
    { length, maxFileBytes, empty: noInput },
    enter(length, plainOptions),
  );
  return { held, ...upload };
}

function noInput(): TinifyError {
  return new TinifyError('Input missing', 'invalid_request', 'Input file is empty.');
}

const sourceSchema = z.object({ source: z.object({ url: z.string() }) });

function sourceUrl(text: string | null): string {
  if (text === '') throw noInput();
  const parsed = sourceSchema.safeParse(parsedJson(text));
  if (!parsed.success) {
    throw new TinifyError(
      'JSON validation error',
      'invalid_request',
      'Give the URL of an image as source.url.',
    );
  }
  const { url } = parsed.data.source;
  if (URL.canParse(url)) return url;
  throw new TinifyError('Source not found', 'invalid_request', 'The source URL is malformed.');
}

/** The response that describes the result and states where it can be fetched. */
function createdResponse(
  c: Context<TinifyEnv>,
  { work: { inputType, inputBytes }, picture }: FinishedWork,
  outputBytes: number,
  url: string,
): Response {
  const { width, height, mediaType } = picture;
  const ratio = Math.round((10_000 * outputBytes) / inputBytes) / 10_000;
  const body = {
    input: { size: inputBytes, type: factsOf(inputType).mediaType },
    output: { size: outputBytes, type: mediaType, width, height, ratio, url },
  };
  return tinifyJson(c, body, 201, {
    Location: url,
    'Image-Width': String(width),
    'Image-Height': String(height),
    ...usageHeaders(c),
  });
}

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Description, defaultOptions, ImageError, inspect, plan } from '../../image/engine.ts';
import { type OutputType, outputTypes } from '../../image/formats/facts.ts';
import { sourceRules } from '../../policy/source-url.ts';
import type { SignedInEnv } from '../http/context.ts';
import { count } from '../http/openapi-parts.ts';
import { apiErrorOf } from '../http/problems.ts';
import { fetchImage } from '../optimize/remote/fetch-image.ts';
import { turns } from '../optimize/scheduler.ts';

const plannedFormat = z.object({
  format: z.enum(outputTypes),
  possible: z.boolean().openapi({ description: 'Whether the image can be made into this format.' }),
  cpu_ms: count.optional().openapi({
    description: 'The computing time that this is predicted to take, in milliseconds.',
  }),
  code: z.string().optional().openapi({
    description: 'If it is not possible: the code of the error that says why.',
    example: 'image_too_large',
  }),
  detail: z.string().optional().openapi({ description: 'The sentence of that error.' }),
});

export const checkRecord = z
  .object({
    url: z.url().openapi({
      description: 'Where the image was fetched.',
      example: 'https://images.example/photos/cat.jpg',
    }),
    type: z
      .string()
      .openapi({ description: 'The media type of its bytes.', example: 'image/jpeg' }),
    width: z.int().min(1).openapi({ description: 'In pixels, as a viewer shows it.' }),
    height: z.int().min(1),
    bytes: count,
    frames: z.int().min(1).openapi({ description: '1 for a still.' }),
    plan: z.array(plannedFormat).openapi({
      description: 'What can be made of it in its own size, format by format.',
    }),
  })
  .openapi('SiteCheck', { description: 'An image below the source of a site.' });

export type CheckRecord = z.infer<typeof checkRecord>;

/**
 * Fetches an image, and plans each format of it. Nothing is encoded.
 * @throws ApiError as fetching an image by URL does, and for what is no image
 */
export async function checkImage(c: Context<SignedInEnv>, url: URL): Promise<CheckRecord> {
  const { client } = c.var;
  const job = await turns.arrive(c.var.session.mailboxId, client);
  try {
    job.expect(0);
    const rules = sourceRules(c.var.config, c.req.url);
    const held = await fetchImage(url.href, rules, { job, client });
    try {
      return recordOf(url, held.bytes);
    } finally {
      held.end();
    }
  } finally {
    job.end();
  }
}

function recordOf(url: URL, bytes: Uint8Array<ArrayBuffer>): CheckRecord {
  const { mediaType, width, height, frames } = described(bytes);
  return {
    url: url.href,
    type: mediaType,
    ...{ width, height, bytes: bytes.length, frames },
    plan: outputTypes.map((type) => planned(bytes, type)),
  };
}

function described(bytes: Uint8Array<ArrayBuffer>): Description {
  try {
    return inspect(bytes);
  } catch (error) {
    throw error instanceof ImageError ? apiErrorOf(error) : error;
  }
}

function planned(bytes: Uint8Array<ArrayBuffer>, type: OutputType): CheckRecord['plan'][number] {
  try {
    const { cpuMs } = plan(bytes, { ...defaultOptions, format: type });
    return { format: type, possible: true, cpu_ms: Math.round(cpuMs) };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    const { code, message: detail } = apiErrorOf(error);
    return { format: type, possible: false, code, detail };
  }
}

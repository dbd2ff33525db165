import { z } from '@hono/zod-openapi';
import type { ApiError } from '../../errors.ts';
import type { NamedResult, SetOutcome } from '../../image/engine.ts';
import { factsOf, outputFacts } from '../../image/formats/facts.ts';
import { pictureMarkup } from '../../image/markup.ts';
import { count } from '../http/openapi-parts.ts';

/** What a page puts in place of this: how wide it shows the image, as in the attribute `sizes`. */
const sizesToFill = '{{sizes}}';

const mediaType = z.enum(outputFacts.map((facts) => facts.mediaType) as [string, ...string[]]);
const pixels = z.int().min(1);

/** `manifest.json`, the last file of the archive. */
export const manifestSchema = z.object({
  width: pixels.openapi({ description: 'Size of the upright source, in pixels.' }),
  height: pixels,
  placeholder: z
    .string()
    .nullable()
    .openapi({ description: 'The ThumbHash of the widest result in base64, if it was asked for.' }),
  results: z.array(
    z.object({
      file: z.string().openapi({ description: 'Name of the file in the archive.' }),
      type: mediaType,
      width: pixels,
      height: pixels,
      bytes: count,
      score: z.number().nullable().openapi({ description: 'As in `Image-Score`, or null.' }),
      quality: z.union([z.int(), z.enum(['lossless', 'original'])]),
      optimized: z.boolean().openapi({
        description: 'Whether it is at least 1% smaller than the source, and so was charged.',
      }),
    }),
  ),
  failed: z
    .array(z.object({ width: pixels, type: mediaType, code: z.string(), detail: z.string() }))
    .openapi({ description: 'The results that could not be made, and why. They are not charged.' }),
  html: z.string().openapi({
    description: `A \`<picture>\` of the results; put in place of \`${sizesToFill}\` how wide the page shows it.`,
  }),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Collects what the manifest of a set tells. */
export class ManifestWriter {
  readonly #results: Manifest['results'] = [];
  readonly #failed: Manifest['failed'] = [];
  #placeholder: string | null = null;

  /** @param file its name in the archive */
  addMade({ made }: SetOutcome & { readonly kind: 'made' }, file: string): void {
    const { mediaType: type, width, height, bytes, score, quality, optimized } = made;
    const shown = { file, type, width, height, bytes: bytes.length };
    this.#results.push({ ...shown, score, quality, optimized });
    this.#placeholder ??= made.placeholder;
  }

  addFailed({ width, type }: NamedResult, { code, message }: ApiError): void {
    this.#failed.push({ width, type: factsOf(type).mediaType, code, detail: message });
  }

  /** @param size of the upright source */
  bytes({ width, height }: Pick<Manifest, 'width' | 'height'>): Uint8Array<ArrayBuffer> {
    const results = this.#results.toSorted((a, b) => a.width - b.width);
    const files = results.map(({ file, type, ...size }) => ({
      ...size,
      url: encodeURIComponent(file),
      mediaType: type,
    }));
    const manifest: Manifest = {
      ...{ width, height, placeholder: this.#placeholder },
      ...{ results, failed: this.#failed },
      html: files.length > 0 ? pictureMarkup(files, sizesToFill) : '',
    };
    return Uint8Array.from(new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`));
  }
}

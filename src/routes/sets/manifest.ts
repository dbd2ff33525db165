import type { ApiError, ErrorCode } from '../../errors.ts';
import type { NamedResult, Optimized, SetOutcome } from '../../image/engine.ts';
import { factsOf } from '../../image/formats/facts.ts';
import { pictureMarkup } from '../../image/markup.ts';

/** What a page puts in place of this: how wide it shows the image, as in the attribute `sizes`. */
const sizesToFill = '{{sizes}}';

/** `manifest.json`, the last file of the archive, as docs/sets.md describes it. Sizes are in pixels. */
export interface Manifest {
  /** Size of the upright source. */
  readonly width: number;
  readonly height: number;
  /** The ThumbHash of the widest result in base64; null if it was not asked for. */
  readonly placeholder: string | null;
  readonly results: readonly {
    /** Its name in the archive. */
    readonly file: string;
    /** Its media type. */
    readonly type: string;
    readonly width: number;
    readonly height: number;
    readonly bytes: number;
    readonly score: number | null;
    readonly quality: Optimized['quality'];
    /** Whether it is at least 1% smaller than the source, and so charged. */
    readonly optimized: boolean;
  }[];
  readonly failed: readonly {
    readonly width: number;
    readonly type: string;
    readonly code: ErrorCode;
    readonly detail: string;
  }[];
  /** A `<picture>` of the results. */
  readonly html: string;
}

/** Collects what the manifest of a set tells. */
export class ManifestWriter {
  readonly #results: Manifest['results'][number][] = [];
  readonly #failed: Manifest['failed'][number][] = [];
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

import { colorOf } from '../../src/image/color/source-color.ts';
import type { SourceImage } from '../../src/image/formats/registry.ts';
import type { Source } from '../../src/image/pipeline/read-source.ts';

/** A file as it would be looked at, told by its inspection. */
export function sourceOf(
  image: SourceImage,
  fileBytes = 100_000,
  icc: Uint8Array | null = null,
): Source {
  return { kind: 'source', image, fileBytes, icc, color: colorOf(image, icc) };
}

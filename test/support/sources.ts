import { colorOf } from '../../src/image/color/source-color.ts';
import type { Inspection } from '../../src/image/formats/format.ts';
import type { Source } from '../../src/image/pipeline/read-source.ts';

/** A file as it would be looked at, told by its inspection. */
export function sourceOf(
  image: Inspection,
  fileBytes = 100_000,
  icc: Uint8Array | null = null,
): Source {
  return { kind: 'source', image, fileBytes, icc, color: colorOf(image, icc) };
}

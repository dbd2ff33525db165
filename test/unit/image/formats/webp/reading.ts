import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import { runWebpKernel } from '../../../../../src/image/formats/webp/kernel.ts';
import {
  inspectWebp,
  type WebpInspection,
  type WebpPicture,
} from '../../../../../src/image/formats/webp/reader.ts';
import { WebpRows, webpRowBytes } from '../../../../../src/image/formats/webp/rows.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';

/** What `inspect` says of a WebP that must be one. */
export function inspection(file: Uint8Array): WebpInspection {
  const result = inspectWebp(viewOf(file));
  if (result.kind !== 'image') throw new Error(JSON.stringify(result));
  return result.image as WebpInspection;
}

/**
 * All rows of a picture, straight RGBA.
 * @param runs how often they are gone through; those of the last run are given
 */
export function pixelsOf(
  file: Uint8Array,
  picture: WebpPicture = inspection(file).picture,
  runs = 1,
): Buffer {
  arena.reserve(webpRowBytes(picture));
  const work = runWebpKernel(file, function* (kernel) {
    const rows = new WebpRows(kernel, picture);
    yield* rows.begin();
    const all: Uint8Array[] = [];
    for (let run = 0; run < runs; run++) {
      all.length = 0;
      yield* rows.start();
      for (let y = 0; y < rows.height; y++) {
        const at = rows.next();
        all.push(kernel.bytes.slice(at, at + 4 * rows.width));
      }
    }
    return Buffer.concat(all);
  });
  return runAtOnce(work);
}

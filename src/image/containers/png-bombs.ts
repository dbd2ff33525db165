import { greatestExpansion } from '../png/greatest-expansion.ts';
import { unpackedBytes } from '../png/unpacked-bytes.ts';
import { pngChunkContent, pngChunks } from './png-chunks.ts';
import { deflatedPngText, isPngTextType } from './png-text.ts';

/** What the texts of a file may unpack to: some hundred times as much as any picture is told of. */
export const mostTextBytes = 32 * 1024 * 1024;

/**
 * Whether a PNG has a deflated text chunk that is made to exhaust whoever reads it. Nothing here
 * would unpack all of it; but such a file was made to do harm, and is not handed on in any form.
 * Texts that cannot come near the limit are not unpacked, and damaged ones are none.
 *
 * @throws ContainerError when the chunks cannot be read
 */
export function isTextBomb(file: Uint8Array): boolean {
  let left = mostTextBytes;
  for (const chunk of pngChunks(file)) {
    if (!isPngTextType(chunk.type) || chunk.bytes.length * greatestExpansion <= mostTextBytes)
      continue;
    const stream = deflatedPngText(chunk.type, pngChunkContent(chunk));
    if (stream) left -= unpackedBytes(stream, left);
    if (left <= 0) return true;
  }
  return false;
}

import { CodecError } from '../codecs/codec.ts';
import { oxipng } from '../codecs/oxipng.ts';
import { arena } from '../codecs/runtime.ts';
import { rewrapReadable } from '../containers/rewrap.ts';
import { lookedThrough } from '../decode.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Peak } from '../memory-ledger.ts';
import { noMetadata } from '../metadata/metadata.ts';
import { damaged, refuseImage } from '../refusal.ts';
import type { Source } from '../source.ts';
import { oxipngLevel } from './attempts.ts';
import { pngForProfile } from './png-for-profile.ts';
import { type Produced, produced } from './produced.ts';

/** PNG to PNG without a change to any visible sample; the file never becomes RGBA. */
export interface OxipngJob {
  readonly engine: 'oxipng';
  /** Colours under full transparency may change. */
  readonly optimiseAlpha: boolean;
}

/** Predicted memory of a job, the file itself not counted: a copy without metadata, and the result. */
export function oxipngPeak({ image, fileBytes }: Source): Peak {
  return { arena: arenaFor(image), buffers: 2 * fileBytes };
}

/** The original follows among the candidates, so a result that does not come about may be missing. */
const unfit: Produced = {
  kind: 'no-way',
  refusal: refuseImage('This picture cannot be made smaller here.'),
};

/**
 * Lets oxipng see the picture alone: it would keep what goes anyway in memory,
 * and refuse a file for the checksum of a comment.
 */
export function runOxipng(
  file: Uint8Array,
  { image, icc }: Source,
  { optimiseAlpha }: OxipngJob,
): Produced {
  const picture = rewrapReadable(image, file, { icc, metadata: noMetadata });
  if (!picture) return damaged;
  arena.reserve(arenaFor(image));
  try {
    const smaller = oxipng.optimise(picture, { level: oxipngLevel, optimiseAlpha });
    const fitting = pngForProfile(smaller, icc);
    return fitting ? produced(fitting) : unfit;
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    // out of memory it has not seen all of the picture
    return error.exhausted ? (lookedThrough(file, image) ?? unfit) : damaged;
  } finally {
    picture.buffer.transfer(0);
  }
}

function arenaFor(image: Inspection): number {
  return oxipng.arenaBytes(image, image.type === 'png' ? image : undefined);
}

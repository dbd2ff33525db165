import { CodecError } from '../codecs/codec.ts';
import { oxipng } from '../codecs/oxipng.ts';
import { arena } from '../codecs/runtime.ts';
import { damaged } from '../decode.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Peak } from '../memory.ts';
import type { Refusal } from '../refusal.ts';
import { oxipngLevel } from './attempts.ts';

/** PNG to PNG without a change to any visible sample; the file never becomes RGBA. */
export interface OxipngJob {
  readonly engine: 'oxipng';
  /** Colours under full transparency may change. */
  readonly optimiseAlpha: boolean;
}

/** Predicted memory of a job, the file itself not counted. */
export function oxipngPeak(image: Inspection, fileBytes: number): Peak {
  return { arena: arenaFor(image), buffers: fileBytes };
}

export function runOxipng(
  file: Uint8Array,
  image: Inspection,
  { optimiseAlpha }: OxipngJob,
): Uint8Array<ArrayBuffer> | Refusal {
  arena.reserve(arenaFor(image));
  try {
    return oxipng.optimise(file, { level: oxipngLevel, optimiseAlpha });
  } catch (error) {
    if (error instanceof CodecError) return damaged;
    throw error;
  }
}

function arenaFor(image: Inspection): number {
  return oxipng.arenaBytes(image, image.type === 'png' ? image : undefined);
}

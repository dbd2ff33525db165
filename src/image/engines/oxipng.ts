import { oxipng } from '../codecs/oxipng.ts';
import { withinArena } from '../decode.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Peak } from '../memory-ledger.ts';
import { oxipngLevel } from './attempts.ts';
import { type Produced, produced } from './produced.ts';

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
): Produced {
  const settings = { level: oxipngLevel, optimiseAlpha };
  return withinArena(arenaFor(image), image, () => produced(oxipng.optimise(file, settings)));
}

function arenaFor(image: Inspection): number {
  return oxipng.arenaBytes(image, image.type === 'png' ? image : undefined);
}

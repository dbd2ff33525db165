import { oxipng } from '../codecs/oxipng.ts';
import { withinArena } from '../decode.ts';
import type { Inspection } from '../inspect/inspection.ts';
import type { Peak } from '../memory-ledger.ts';
import { refuseImage } from '../refusal.ts';
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

/** Predicted memory of a job, the file itself not counted. */
export function oxipngPeak({ image, fileBytes }: Pick<Source, 'image' | 'fileBytes'>): Peak {
  return { arena: arenaFor(image), buffers: fileBytes };
}

/** The original follows among the candidates, so a result that its profile cannot stand in may go. */
const unfit: Produced = {
  kind: 'no-way',
  refusal: refuseImage('This picture cannot be made smaller under its profile.'),
};

export function runOxipng(
  file: Uint8Array,
  { image, icc }: Source,
  { optimiseAlpha }: OxipngJob,
): Produced {
  const settings = { level: oxipngLevel, optimiseAlpha };
  return withinArena(oxipngPeak({ image, fileBytes: file.length }), () => {
    const smaller = pngForProfile(oxipng.optimise(file, settings), icc);
    return smaller ? produced(smaller) : unfit;
  });
}

function arenaFor(image: Inspection): number {
  return oxipng.arenaBytes(image, image.type === 'png' ? image : undefined);
}

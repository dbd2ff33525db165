import type { Source } from '../../formats/format.ts';
import { formatOf } from '../../formats/registry.ts';
import {
  endSample,
  type Sample,
  type Sampling,
  sampleBytes,
  sampleOf,
} from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps } from '../candidates.ts';
import { viewingPeak, withRows } from '../decode.ts';
import { decodingFor, preparedDetail, stagedRows, stagesBytes } from '../pixel-stages.ts';
import { sameSteps } from '../prepare-pixels.ts';
import { isRough, isTransparentAs, type OpenCandidate } from './sampling.ts';
import type { Trial } from './search.ts';
import { encodingTrials, tryRecoding } from './trials.ts';

/** Samples of a picture, of which one is kept for candidates that follow each other. */
export class Samples {
  readonly source: Source;
  readonly #file: Uint8Array<ArrayBuffer>;
  #kept:
    | { readonly steps: PixelSteps; readonly sampling: Sampling; readonly sample: Sample }
    | undefined;

  constructor(file: Uint8Array<ArrayBuffer>, source: Source) {
    this.#file = file;
    this.source = source;
  }

  /** The sample of the picture after these steps, or why there is none. */
  of(steps: PixelSteps, sampling: Sampling): Sample | Refusal {
    const kept = this.#kept;
    const isSame = kept && JSON.stringify(kept.sampling) === JSON.stringify(sampling);
    if (isSame && sameSteps(kept.steps, steps)) return kept.sample;
    this.end();
    const { image, fileBytes } = this.source;
    const { decoder } = formatOf(image).read;
    const how = decodingFor(this.source, steps);
    const { arena, buffers } = viewingPeak(image, fileBytes);
    const size = steps.target ?? image;
    const held = stagesBytes(steps) + sampleBytes(size, sampling);
    const peak = { arena, buffers: buffers + held };
    const sample = withRows(decoder, this.#file, image, how, peak, (rows) => {
      const staged = stagedRows(rows, this.source, steps, how.halvings);
      try {
        return sampleOf(staged, sampling);
      } finally {
        staged.release?.();
      }
    });
    if (!('reason' in sample)) this.#kept = { steps, sampling, sample };
    return sample;
  }

  /** What tries a quality on a sample. @param isChecked what is made will be scored, too */
  trialsOf(
    candidate: OpenCandidate,
    sample: Sample,
    isChecked = false,
  ): (quality: number) => Trial {
    const { source } = this;
    if (candidate.kind === 'encode') {
      const hasAlpha = isTransparentAs(source, candidate);
      const { isDrawn } = preparedDetail(source, candidate.pixels);
      const about = { isDrawn, isRough: isRough(source, candidate), isChecked };
      return encodingTrials({ sample, hasAlpha }, candidate, about);
    }
    const cut = this.cutOut(sample);
    if (!cut) throw new CodecError(candidate.type, false, 'no part can be cut out');
    return (quality) => tryRecoding({ sample, hasAlpha: false }, cut, quality);
  }

  /** The part of the file that a sample was taken of, to be recoded; null where there is none. */
  cutOut({ mosaic }: Sample): Uint8Array<ArrayBuffer> | null {
    const { image } = this.source;
    const parts = mosaic.tiles.map(({ region }) => region);
    const [first] = parts;
    const isWhole = first?.width === image.width && first.height === image.height;
    if (isWhole) return this.#file;
    const { recoder } = formatOf(image).read;
    return recoder?.cutOut?.(this.#file, this.source, parts, mosaic.slotHeight) ?? null;
  }

  /** Gives the memory back. */
  end(): void {
    if (this.#kept) endSample(this.#kept.sample);
    this.#kept = undefined;
  }
}

import type { Source } from '../../formats/format.ts';
import { formatOf } from '../../formats/registry.ts';
import {
  chosenMosaic,
  endSample,
  type Mosaic,
  type Sample,
  type Sampling,
  sampleBytes,
  sampleOf,
} from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps } from '../candidates.ts';
import { encodedShape } from '../conversion.ts';
import { viewingPeak, withRows } from '../decode.ts';
import { decodingFor, preparedDetail, stagedRows, stagesBytes } from '../pixel-stages.ts';
import { sameSteps } from '../prepare-pixels.ts';
import { isRough, isTransparentAs, type OpenCandidate } from './open-candidate.ts';
import { choosingHalvings } from './sampling.ts';
import type { Trial } from './search.ts';
import { decodedFile, encodingTrials, tryRecoding } from './trials.ts';

/** A sample, and the part of the file that it was cut out of, where it was. */
interface TakenSample extends Sample {
  readonly file?: Uint8Array<ArrayBuffer>;
}

/** Samples of a picture, of which one is kept for candidates that follow each other. */
export class Samples {
  readonly source: Source;
  readonly #file: Uint8Array<ArrayBuffer>;
  #kept:
    | { readonly steps: PixelSteps; readonly sampling: Sampling; readonly sample: TakenSample }
    | undefined;

  constructor(file: Uint8Array<ArrayBuffer>, source: Source) {
    this.#file = file;
    this.source = source;
  }

  /** The sample of the picture after these steps, or why there is none. */
  of(steps: PixelSteps, sampling: Sampling): TakenSample | Refusal {
    const kept = this.#kept;
    const isSame = kept && JSON.stringify(kept.sampling) === JSON.stringify(sampling);
    if (isSame && sameSteps(kept.steps, steps)) return kept.sample;
    this.end();
    const cut = sampling.kind === 'cut-out' ? this.#cutOut(sampling.tiles) : null;
    const sample = cut ?? this.#gathered(steps, sampling);
    if (!('reason' in sample)) this.#kept = { steps, sampling, sample };
    return sample;
  }

  /** A sample of a picture that is not changed before it is coded; null where its file has no such parts. */
  #cutOut(tiles: number): TakenSample | Refusal | null {
    const { image, fileBytes } = this.source;
    const { decoder } = formatOf(image).read;
    const how = { halvings: choosingHalvings, deepSamples: null } as const;
    const peak = viewingPeak(image, fileBytes);
    const mosaic = withRows(decoder, this.#file, image, how, peak, (rows) =>
      chosenMosaic(rows, image, choosingHalvings, tiles),
    );
    if ('reason' in mosaic) return mosaic;
    const file = this.#partsOf(mosaic);
    return file && { mosaic, raster: decodedFile(file), file };
  }

  #gathered(steps: PixelSteps, sampling: Sampling): Sample | Refusal {
    const { image, fileBytes } = this.source;
    const { decoder } = formatOf(image).read;
    const how = decodingFor(this.source, steps);
    const { arena, buffers } = viewingPeak(image, fileBytes);
    const size = steps.target ?? image;
    const held = stagesBytes(steps) + sampleBytes(size, sampling);
    const peak = { arena, buffers: buffers + held };
    return withRows(decoder, this.#file, image, how, peak, (rows) => {
      const staged = stagedRows(rows, this.source, steps, how.halvings);
      try {
        return sampleOf(staged, sampling);
      } finally {
        staged.release?.();
      }
    });
  }

  /** What tries a quality on a sample. @param isChecked what is made will be scored, too */
  trialsOf(
    candidate: OpenCandidate,
    sample: TakenSample,
    isChecked = false,
  ): (quality: number) => Trial {
    const { source } = this;
    if (candidate.kind === 'encode') {
      const hasAlpha = isTransparentAs(source, candidate);
      const { isDrawn } = preparedDetail(source, candidate.pixels);
      const shape = encodedShape(source, candidate);
      const about = { shape, isDrawn, isRough: isRough(source, candidate), isChecked };
      return encodingTrials({ sample, hasAlpha }, candidate, about);
    }
    const cut = this.cutOut(sample);
    if (!cut) throw new CodecError(candidate.type, false, 'no part can be cut out');
    return (quality) => tryRecoding({ sample, hasAlpha: false }, cut, quality);
  }

  /** The part of the file that a sample was taken of, to be recoded; null where there is none. */
  cutOut({ mosaic, file }: TakenSample): Uint8Array<ArrayBuffer> | null {
    if (file) return file;
    const { image } = this.source;
    const [first] = mosaic.tiles;
    const isWhole = first?.region.width === image.width && first.region.height === image.height;
    return isWhole ? this.#file : this.#partsOf(mosaic);
  }

  #partsOf({ tiles, slotHeight }: Mosaic): Uint8Array<ArrayBuffer> | null {
    const { recoder } = formatOf(this.source.image).read;
    const parts = tiles.map(({ region }) => region);
    return recoder?.cutOut?.(this.#file, this.source, parts, slotHeight) ?? null;
  }

  /** Gives the memory back. */
  end(): void {
    if (this.#kept) endSample(this.#kept.sample);
    this.#kept = undefined;
  }
}

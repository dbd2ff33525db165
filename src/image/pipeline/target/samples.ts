import { freeMemory } from '../../container/workspace.ts';
import type { Source } from '../../formats/inspection.ts';
import { decoderOf, formatOf, trialFormOf } from '../../formats/registry.ts';
import {
  chosenMosaic,
  endSample,
  type Mosaic,
  type Sample,
  sampleBytes,
  sampleOf,
  type Taking,
} from '../../metric/mosaic.ts';
import type { Refusal } from '../../refusal.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { PixelSteps } from '../candidates.ts';
import { encodedShape } from '../conversion.ts';
import { viewingPeak, withRows } from '../decode.ts';
import { preparedDetail } from '../pixel-stages.ts';
import { sameSteps } from '../prepare-pixels.ts';
import { type ReducedPixels, withStagedRows } from '../reduced-pixels.ts';
import { isRough, isTransparentAs, type OpenCandidate } from './open-candidate.ts';
import { choosingHalvings } from './sampling.ts';
import type { TryAt } from './search.ts';
import { decodedFile, encodingTrials, scoreOfFile, tryRecoding } from './trials.ts';

/** A sample, and the file of its tiles if they were cut out of the file of the picture. */
interface TakenSample extends Sample {
  file?: Uint8Array<ArrayBuffer> | null;
}

/** Samples of a picture; the last one is kept for consecutive candidates. */
export class Samples {
  readonly source: Source;
  readonly #file: Uint8Array<ArrayBuffer>;
  readonly #reduced: ReducedPixels | null;
  #kept:
    | { readonly steps: PixelSteps; readonly sampling: Taking; readonly sample: TakenSample }
    | undefined;

  /** @param reduced reductions of the picture that are held; null if there are none */
  constructor(file: Uint8Array<ArrayBuffer>, source: Source, reduced: ReducedPixels | null = null) {
    this.#file = file;
    this.source = source;
    this.#reduced = reduced;
  }

  /** The sample of the picture after these steps, or why it cannot be taken. */
  *of(steps: PixelSteps, sampling: Taking): Slices<TakenSample | Refusal> {
    const kept = this.#kept;
    const isSame = kept && JSON.stringify(kept.sampling) === JSON.stringify(sampling);
    if (isSame && sameSteps(kept.steps, steps)) return kept.sample;
    this.end();
    const cut = sampling.kind === 'cut-out' ? yield* this.#ofParts(sampling.tiles) : null;
    const sample = cut ?? (yield* this.#gathered(steps, sampling));
    if (!('reason' in sample)) this.#kept = { steps, sampling, sample };
    return sample;
  }

  /** A sample cut out of the file of a picture that needs no steps; null if parts cannot be cut out. */
  *#ofParts(tiles: number): Slices<TakenSample | Refusal | null> {
    const { image, fileBytes } = this.source;
    const decoder = decoderOf(image);
    const halvings = choosingHalvings(decoder);
    const how = { halvings, deepSamples: null } as const;
    const peak = viewingPeak(image, fileBytes);
    const mosaic = yield* withRows(decoder, this.#file, image, how, peak, (rows) =>
      chosenMosaic(rows, image, halvings, tiles),
    );
    if ('reason' in mosaic) return mosaic;
    let file: Uint8Array<ArrayBuffer> | null = null;
    try {
      file = yield* this.#cutOut(mosaic);
      return file && { mosaic, raster: yield* decodedFile(file), file };
    } catch (error) {
      freeMemory(file);
      // Decoding may still succeed, with more memory than the headers imply.
      if (error instanceof CodecError) return null;
      throw error;
    }
  }

  *#gathered(steps: PixelSteps, sampling: Taking): Slices<Sample | Refusal> {
    const from = { file: this.#file, source: this.source, reduced: this.#reduced };
    const areHeld = this.#reduced?.holds(steps) ?? false;
    const held = sampleBytes(steps.target ?? this.source.image, sampling, areHeld);
    return yield* withStagedRows(from, steps, held, (rows) => sampleOf(rows, sampling, areHeld));
  }

  /** A function that tries a quality on a sample. @param isChecked whether the result will be scored as well */
  *trialsOf(candidate: OpenCandidate, sample: TakenSample, isChecked = false): Slices<TryAt> {
    const { source } = this;
    const hasAlpha = isTransparentAs(source, candidate);
    if (candidate.kind === 'encode') {
      const detail = preparedDetail(source, candidate.pixels);
      const shape = encodedShape(source, candidate);
      const about = { shape, detail, isRough: isRough(source, candidate), isChecked };
      return encodingTrials({ sample, hasAlpha }, candidate, about);
    }
    const file = yield* this.fileOf(sample);
    if (!file) throw new CodecError(candidate.type, false, 'no part can be cut out');
    const form = trialFormOf(candidate.type);
    return (quality) => tryRecoding({ sample, hasAlpha }, file, quality, form);
  }

  /**
   * The score of a sample whose coefficients stay but are displayed as in another format; null if they are displayed as
   * before, or there is no file of the sample.
   */
  *scoreOfKept({ kind, type }: OpenCandidate, sample: TakenSample): Slices<number | null> {
    const form = trialFormOf(type);
    const file = kind === 'recode' && form.asTranscoded ? yield* this.fileOf(sample) : null;
    return file && (yield* scoreOfFile({ sample, hasAlpha: false }, file, form));
  }

  /** A file with the pixels of a sample, for recoding; null if there is none. The caller must not free it. */
  *fileOf(sample: TakenSample): Slices<Uint8Array<ArrayBuffer> | null> {
    const { image } = this.source;
    const [first] = sample.mosaic.tiles;
    const isWhole = first?.region.width === image.width && first.region.height === image.height;
    if (isWhole) return this.#file;
    sample.file ??= yield* this.#cutOut(sample.mosaic);
    return sample.file;
  }

  *#cutOut({ tiles, slotHeight }: Mosaic): Slices<Uint8Array<ArrayBuffer> | null> {
    const { recoder } = formatOf(this.source.image).read;
    const parts = tiles.map(({ region }) => region);
    if (!recoder?.cutOut) return null;
    return yield* recoder.cutOut(this.#file, this.source, parts, slotHeight);
  }

  /** Frees the memory. */
  end(): void {
    if (this.#kept) {
      endSample(this.#kept.sample);
      freeMemory(this.#kept.sample.file);
    }
    this.#kept = undefined;
  }
}

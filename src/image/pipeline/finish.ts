import type { Finished } from '../formats/format.ts';
import type { SourceImage } from '../formats/registry.ts';
import { inspect, rewrapReadable } from '../formats/registry.ts';
import type { Keeping } from '../metadata/carried.ts';
import { carriedMetadata } from '../metadata/carried.ts';
import type { Orientation } from '../metadata/exif-block.ts';
import { type Metadata, noMetadata } from '../metadata/metadata.ts';
import { damaged, type Refusal } from '../refusal.ts';
import type { Peak } from '../wasm/memory-ledger.ts';
import { lookedThrough, viewingPeak } from './decode.ts';
import type { Job } from './plan.ts';
import type { Source } from './read-source.ts';
import { type Produced, produced } from './result.ts';

/** A job whose result has its metadata still to come. */
export type ProducingJob = Exclude<Job, { engine: 'jpeg-coefficients' | 'png-stream' }>;

/**
 * Makes a coded picture ready to be sent: its own profile, its orientation and
 * the metadata that were asked for in, all others out. Pixels that were turned
 * upright carry no orientation any more.
 *
 * Metadata may take more bytes as they are written here than they took in the
 * source. The original never grows by that: under `all` it is then sent as it
 * came, otherwise without them.
 */
export function finish(
  { bytes: file, quality }: Extract<Produced, { kind: 'produced' }>,
  job: ProducingJob,
  source: Source,
  { level, metadata }: Keeping,
): Finished | Refusal {
  const image = job.engine === 'original' ? source.image : inspected(file);
  if (!image) return damaged;
  const icc = job.engine === 'raster' ? job.icc : source.icc;
  const shown = {
    orientation: orientationAfter(job, source.image),
    newSize: hasNewPixels(job) ? { width: image.width, height: image.height } : null,
    holdsIptc: image.type === 'jpeg' || image.type === 'png',
  };
  const wrapped = (kept: Metadata) => rewrapReadable(image, file, { icc, metadata: kept });
  const bytes = wrapped(carriedMetadata(metadata, level, shown));
  if (!bytes) return damaged;
  if (job.engine !== 'original' || bytes.length <= source.fileBytes) {
    return { kind: 'finished', bytes, quality, isComplete: true };
  }
  bytes.buffer.transfer(0);
  if (level === 'all') return { kind: 'finished', bytes: file.slice(), quality, isComplete: true };
  const bare = wrapped(carriedMetadata(noMetadata, 'none', shown));
  return bare ? { kind: 'finished', bytes: bare, quality, isComplete: false } : damaged;
}

/** The tag that the result needs; AVIF has transforms of its own. */
function orientationAfter(job: ProducingJob, image: SourceImage): Orientation {
  return job.engine === 'raster' && job.pixels.turn !== 1 ? 1 : image.orientation;
}

function hasNewPixels(job: ProducingJob): boolean {
  return job.engine === 'raster' && (job.pixels.turn !== 1 || job.pixels.target !== null);
}

function inspected(file: Uint8Array): SourceImage | null {
  const result = inspect(file);
  return result.kind === 'image' ? result.image : null;
}

/** The original file as the answer; `finish` takes out the metadata. */
export interface OriginalJob {
  readonly engine: 'original';
  /** Decode it first, so that no damaged picture is handed on; other jobs before it may have done so. */
  readonly verify: boolean;
}

/** Predicted memory of a job, the file itself not counted. */
export function originalPeak({ image, fileBytes }: Source, { verify }: OriginalJob): Peak {
  const looking = verify ? viewingPeak(image, fileBytes) : { arena: 0, buffers: 0 };
  return { arena: looking.arena, buffers: Math.max(looking.buffers, fileBytes) };
}

/** The file as it is, looked through where the job says so. */
export function runOriginal(
  file: Uint8Array<ArrayBuffer>,
  { image }: Source,
  { verify }: OriginalJob,
): Produced {
  return (verify ? lookedThrough(file, image) : null) ?? produced(file, 'original');
}

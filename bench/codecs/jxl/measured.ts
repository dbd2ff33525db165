import { sameBytes } from '../../../src/image/container/assemble.ts';
import type { Quality, Source } from '../../../src/image/formats/inspection.ts';
import type { JpegInspection } from '../../../src/image/formats/jpeg/inspect.ts';
import { jxlRecoder } from '../../../src/image/formats/jxl/transcode.ts';
import { noMetadata } from '../../../src/image/metadata/metadata.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../src/image/wasm/budgets.ts';
import type { CorpusFile } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import { megapixels } from '../../measures/figures.ts';
import { recodedAtQuality } from '../jpeg/recoded.ts';
import { byCjxl, byDjxl, codestreamBytes, hasCjxl } from './cjxl.ts';

/** A JPEG's coefficients at one quality, as JPEG XL. */
export interface Row {
  readonly name: string;
  readonly quality: Quality;
  readonly megapixels: number;
  /** Bytes of the JPEG XL codestream, and of the JPEG with the same coefficients: the original, or our own. */
  readonly bytes: number;
  readonly jpegBytes: number;
  /** Bytes of cjxl's codestream; undefined if it is not installed. */
  readonly cjxlBytes: number | undefined;
  /** CPU time in milliseconds, and that of coding the same coefficients as a JPEG. */
  readonly time: number;
  readonly jpegTime: number;
  /** Planned arena bytes, including the result. */
  readonly memory: number;
  /** Whether djxl decodes it to the same pixels as cjxl's file without chroma from luma. */
  readonly isSame: boolean | undefined;
}

/** @throws Error if the file is not a JPEG that can be transcoded to JPEG XL */
export async function measured({ name, bytes }: CorpusFile, quality: Quality): Promise<Row> {
  const source = readSource(bytes);
  if (source.kind !== 'source') throw new Error(`${name}: ${source.kind}`);
  const jpeg = source as Source<JpegInspection>;
  const settings = { quality, exact: false };
  const memory = Math.min(arenaCeiling, jxlRecoder.arenaBytes(jpeg, settings));
  const bare = { level: 'none', metadata: noMetadata } as const;
  // Our own JPEG, with which it is compared, has no orientation tag.
  const orientation = quality === 'lossless' ? jpeg.image.orientation : 1;
  const plain = { ...jpeg, icc: null, image: { ...jpeg.image, orientation } };
  const code = () => {
    arena.reserve(memory);
    return runAtOnce(jxlRecoder.recode(bytes, plain, settings, bare, () => null)).bytes;
  };
  const { result, milliseconds } = await timed(code);
  const asJpeg = await timed(() => recodedAtQuality(bytes, quality).bytes.slice());
  const same = quality === 'lossless' ? bytes : asJpeg.result;
  const theirs = hasCjxl ? await byCjxl(same, true) : undefined;
  return {
    name,
    quality,
    megapixels: megapixels(jpeg.image),
    bytes: codestreamBytes(result),
    jpegBytes: same.length,
    cjxlBytes: theirs && codestreamBytes(theirs),
    time: milliseconds,
    jpegTime: asJpeg.milliseconds,
    memory,
    isSame: hasCjxl ? await showTheSame(result, same) : undefined,
  };
}

async function showTheSame(jxl: Uint8Array, jpeg: Uint8Array): Promise<boolean> {
  return sameBytes(await byDjxl(jxl), await byDjxl(await byCjxl(jpeg, false)));
}

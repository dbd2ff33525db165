import { isAcceptedProfile } from '../../color/accepted-profile.ts';
import { ascii, joinBytes, uint32 } from '../../container/assemble.ts';
import { writeBox } from '../../container/iso-boxes.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import { Pace, type Slices } from '../../slices.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type { Appearance } from '../inspection.ts';
import type { CodedRows } from '../jpeg/code-picture.ts';
import type { FrameShape } from '../jpeg/kernel.ts';
import { zigzag } from '../jpeg/quantization-tables.ts';
import { BitWriter } from './bits.ts';
import { blockContexts } from './block-contexts.ts';
import {
  type CodestreamHead,
  putFrameHeader,
  putImageHeader,
  putTableOfContents,
} from './codestream.ts';
import {
  type CoefficientOrder,
  orderByCounts,
  orderBySteps,
  zigzagOrder,
} from './coefficient-order.ts';
import { EntropyCoder } from './entropy-coder.ts';
import { codedIccProfile } from './icc-stream.ts';
import {
  allocateStages,
  expectComplete,
  expectRoom,
  type JxlKernel,
  kernelConstants,
} from './kernel.ts';
import {
  type CodedFrame,
  lowGroupMs,
  lowGroups,
  putCoefficientGlobals,
  putLowFrequencies,
  putLowFrequencyGlobals,
} from './sections.ts';

const { coefficientCode, codedFrame, groupSide } = kernelConstants;

/** Settings for writing a picture. */
export interface Writing {
  readonly appearance: Appearance;
  /** The rotation that makes it upright. */
  readonly orientation: Orientation;
  /** Whether the coefficients were requantized here, in zigzag order. */
  readonly isRequantized: boolean;
  /** Maximum size of the result in bytes. */
  readonly maxBytes: number;
  /** Whether the picture may be read twice if its coefficients do not fit into memory; otherwise that is an error. */
  readonly mayStream: boolean;
}

export type Coded =
  /** The file in parts, one of which lies in the arena. */
  | { readonly kind: 'coded'; readonly parts: readonly Uint8Array[] }
  /** Some coefficients are too large for 8-bit samples. */
  | { readonly kind: 'not-codable' }
  /** Halving chroma would remove visible detail. */
  | { readonly kind: 'too-colorful' };

/**
 * Encodes the coefficients of a picture as JPEG XL: one pass counts them, another writes them group by group. They are
 * kept between the passes or, if they do not fit, read again.
 *
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* codePicture(
  kernel: JxlKernel,
  rows: CodedRows,
  shape: FrameShape,
  writing: Writing,
): Slices<Coded> {
  yield* rows.begin();
  const { icc } = writing.appearance;
  allocateStages(kernel, icc?.length ?? 0);
  kernel.beginEntropy();
  const picture = { kernel, coder: new EntropyCoder(kernel), rows, shape, writing };
  const areKept = yield* rows.keepAll();
  if (rows.areTooColorful) return { kind: 'too-colorful' };
  if (areKept) {
    try {
      return yield* codePasses(picture, true);
    } catch (error) {
      // A result that does not fit together with the kept coefficients may fit without them.
      const isShort = kernel.room() < writing.maxBytes;
      const mayStream = writing.mayStream && !rows.areGathered && isShort;
      if (!(error instanceof NoRoomForResult) || !mayStream) throw error;
    }
  }
  expectRoom(writing.mayStream ? 1 : 0);
  rows.beginStreaming();
  return yield* codePasses(picture, false);
}

/** A picture being encoded by the kernel. */
interface Picture {
  readonly kernel: JxlKernel;
  readonly coder: EntropyCoder;
  readonly rows: CodedRows;
  readonly shape: FrameShape;
  readonly writing: Writing;
}

/**
 * Counts all tokens and writes them.
 * @param areKept whether the kernel keeps the coefficients; otherwise they are read again for each pass
 */
function* codePasses(picture: Picture, areKept: boolean): Slices<Coded> {
  const { kernel, coder, writing } = picture;
  const forEachGroup = areKept
    ? (use: GroupUse) => forEachKeptGroup(kernel, use)
    : (use: GroupUse) => forEachStreamedGroup(picture, use);

  const frame = yield* describedFrame(picture, areKept);
  coder.beginSharedCode({ id: coefficientCode, contexts: kernel.coefficientContexts() });
  kernel.beginCountingPass();
  let groups = 0;
  yield* forEachGroup((x, y) => {
    groups += 1;
    kernel.countTokens(coefficientCode, kernel.gatherCoefficients(x, y));
  });
  if (kernel.codingFailure() !== 0) return { kind: 'not-codable' };

  expectRoom(kernel.beginWritingPass());
  expectRoom(kernel.beginCodestream(writing.maxBytes));
  const sections = new Sections(kernel, groups === 1);
  yield* putLowFrequencyGlobals(kernel, coder, frame);
  sections.end();
  for (const group of lowGroups(kernel)) {
    putLowFrequencies(kernel, coder, group);
    sections.end();
    yield lowGroupMs;
  }
  yield* putCoefficientGlobals(kernel, coder, frame);
  sections.end();
  yield* forEachGroup((x, y) => {
    kernel.writeTokens(coefficientCode, kernel.gatherCoefficients(x, y));
    sections.end();
  });
  sections.endAll();
  return { kind: 'coded', parts: yield* partsOf(picture, sections.lengths) };
}

/** Collects the sections, which end at whole bytes; with a single group, they are combined into one. */
class Sections {
  readonly lengths: number[] = [];
  readonly #kernel: JxlKernel;
  readonly #areOne: boolean;
  #ended = 0;

  constructor(kernel: JxlKernel, areOne: boolean) {
    this.#kernel = kernel;
    this.#areOne = areOne;
  }

  end(): void {
    expectComplete(this.#kernel);
    if (!this.#areOne) this.endAll();
  }

  endAll(): void {
    this.#kernel.endSection();
    expectComplete(this.#kernel);
    const length = this.#kernel.codestreamLength() - this.#ended;
    if (length > 0) this.lengths.push(length);
    this.#ended += length;
  }
}

/** Passes contexts and coefficient orders to the kernel. */
function* describedFrame(
  { kernel, rows: { quantization }, writing: { isRequantized } }: Picture,
  areKept: boolean,
): Slices<CodedFrame> {
  const [luma = new Uint16Array(64).fill(1)] = quantization;
  const contexts = blockContexts(
    kernel.blocksAcross(codedFrame, 0) * kernel.blocksDown(codedFrame, 0),
    luma,
  );
  // A gray picture has no coefficients in the other two components.
  const components = [0, 1, 2];
  let orders = components.map(() => zigzagOrder);
  if (!isRequantized) {
    orders = areKept
      ? yield* countedOrders(kernel, components)
      : components.map((c) => orderBySteps(quantization[c] ?? luma));
  }
  const { thresholds } = contexts;
  const at = kernel.brightnessThresholds();
  new Int32Array(kernel.bytes.buffer, at, thresholds.length).set(thresholds);
  for (const [c, order] of orders.entries()) {
    kernel.bytes.set(contexts.contexts[c] ?? [], kernel.blockContextMap(c));
    for (const [place, k] of order.entries()) kernel.bytes[kernel.coefficientPlaces(c) + k] = place;
  }
  kernel.setBlockContexts(thresholds.length, contexts.count);
  return { steps: quantization.map(inRows), blockContexts: contexts, orders };
}

/** The orders of kept coefficients, most frequent first. */
function* countedOrders(
  kernel: JxlKernel,
  components: readonly number[],
): Slices<CoefficientOrder[]> {
  const pace = new Pace(groupMs * kernel.groupsAcross());
  kernel.beginCountingPass();
  for (let y = 0; y < kernel.groupsDown(); y += 1) {
    expectRoom(kernel.loadGroupRow(y));
    kernel.countPlaces(y);
    yield* pace.after();
  }
  return components.map((c) =>
    orderByCounts(new Uint32Array(kernel.bytes.buffer, kernel.placeCounts(c), 64)),
  );
}

/** Converts zigzag to row-major order. */
function inRows(steps: Uint16Array): Uint16Array {
  const rows = new Uint16Array(64);
  for (const [k, position] of zigzag.entries()) rows[position] = steps[k] ?? 1;
  return rows;
}

/** CPU time of a pass over a detailed group, in milliseconds. */
const groupMs = 1.5;

/** Called with group `x` of row `y` when its tokens can be gathered. */
type GroupUse = (x: number, y: number) => void;

/** Iterates over the groups of a picture whose coefficients are kept. */
function* forEachKeptGroup(kernel: JxlKernel, use: GroupUse): Slices<void> {
  const pace = new Pace(groupMs);
  for (let y = 0; y < kernel.groupsDown(); y += 1) {
    expectRoom(kernel.loadGroupRow(y));
    for (let x = 0; x < kernel.groupsAcross(); x += 1) {
      use(x, y);
      yield* pace.after();
    }
  }
}

/** Iterates over the groups of a picture that is read again. */
function* forEachStreamedGroup(
  { kernel, rows, shape: { sampling } }: Picture,
  use: GroupUse,
): Slices<void> {
  const pace = new Pace(groupMs);
  const perMcu = Math.max(...sampling.map(({ vertical }) => vertical));
  const mcus = Math.ceil(kernel.gridDown() / perMcu);
  kernel.beginGroupRow();
  yield* rows.streamMcuRows(function* (m) {
    for (const [c, { vertical }] of sampling.entries()) {
      const end = Math.min((m + 1) * vertical, kernel.blocksDown(codedFrame, c));
      for (let y = m * vertical; y < end; y += 1) expectRoom(kernel.takeStreamedRow(c, y));
    }
    const next = (m + 1) * perMcu;
    if (next % groupSide !== 0 && m + 1 < mcus) return true;
    for (let x = 0; x < kernel.groupsAcross(); x += 1) {
      use(x, Math.ceil(next / groupSide) - 1);
      yield* pace.after();
    }
    kernel.beginGroupRow();
    return true;
  });
}

/** Assembles the file; the lengths of the sections, which precede them, are only known at the end. */
function* partsOf(
  { kernel, coder, rows, shape, writing: { appearance, orientation } }: Picture,
  sectionLengths: readonly number[],
): Slices<readonly Uint8Array[]> {
  const { metadata } = appearance;
  const icc = soundProfile(appearance);
  const length = kernel.codestreamLength();
  const { quantization } = rows;
  const head: CodestreamHead = { ...shape, orientation, icc, quantization };
  const image = new BitWriter();
  putImageHeader(image, head);
  const profile = icc ? yield* codedIccProfile(image, icc, kernel, coder) : new Uint8Array();
  image.pad();
  const frame = new BitWriter();
  putFrameHeader(frame, head);
  putTableOfContents(frame, sectionLengths);
  const at = kernel.codestreamAt();
  const sections = kernel.bytes.subarray(at, at + length);
  const parts = [image.bytes, profile, frame.bytes, sections];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return [containerHead(metadata, bytes), ...parts];
}

/**
 * The profile with a corrected size, or null if engines do not accept it. Viewers of other formats ignore such a
 * profile, and bytes after the size in its header, but JPEG XL decoders reject the picture.
 */
function soundProfile({ icc }: Appearance): Uint8Array | null {
  if (!icc || !isAcceptedProfile(icc)) return null;
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  if (view.getUint32(0) === icc.length) return icc;
  const corrected = icc.slice();
  new DataView(corrected.buffer).setUint32(0, icc.length);
  return corrected;
}

/** The signature of files that consist of boxes (ISO/IEC 18181-2 §9.1). */
const signature = writeBox('JXL ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a));
const fileType = writeBox('ftyp', ascii('jxl '), uint32(0), ascii('jxl '));

/**
 * What precedes a codestream of this length, which is last in the file: nothing, or boxes with metadata. Decoders take
 * the orientation from the codestream and ignore that of EXIF.
 */
function containerHead({ exif, xmp }: Metadata, codestreamBytes: number): Uint8Array {
  if (!exif?.length && !xmp?.length) return new Uint8Array();
  return joinBytes(
    ...signature,
    ...fileType,
    // The TIFF header directly follows its offset.
    ...(exif?.length ? writeBox('Exif', uint32(0), exif) : []),
    ...(xmp?.length ? writeBox('xml ', xmp) : []),
    uint32(8 + codestreamBytes),
    ascii('jxlc'),
  );
}

import type { CodedRows } from './coded-rows.ts';
import type { CodedComponent } from './frame-segments.ts';
import { expectRoom, type JpegKernel } from './kernel.ts';
import type { FrameShape } from './kernel-frame.ts';
import { ResultWriter } from './result-writer.ts';
import { type ScriptFrame, sequentialScans } from './scan-script.ts';
import { chooseCoding } from './script-search.ts';

/** How the result is to be written. */
export interface Writing {
  /** All that comes before the coded picture. */
  readonly head: Uint8Array;
  /** Bytes that the result may have; a longer one is given up. */
  readonly most: number;
  /** A picture whose coefficients do not fit is gone through several times, instead of giving up. */
  readonly mayStream: boolean;
}

/** A picture as it is written. */
export interface CodedPicture extends FrameShape {
  /** Ids of the components (ITU-T T.81 §B.2.2). */
  readonly ids: readonly number[];
  /** The second and the third component are chroma. */
  readonly isYcc: boolean;
}

export type Coded =
  /** The result, where it lies in the arena. */
  | { readonly kind: 'coded'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too-long' }
  /** Coefficients that no Huffman code of 8-bit pictures has a place for. */
  | { readonly kind: 'not-codable' }
  /** Halving chroma would lose what can be seen. */
  | { readonly kind: 'too-colorful' };

/**
 * Codes a picture's coefficients with Huffman tables and scans made for them.
 *
 * They are kept, as tokens or in the planes, so that the picture can be written in as many scans as
 * are worth it. Where tokens do not fit, it flows by twice, once to count and once to write.
 *
 * @throws CodecError where the file is damaged, or takes more memory than there is
 */
export function codePicture(
  kernel: JpegKernel,
  rows: CodedRows,
  picture: CodedPicture,
  writing: Writing,
): Coded {
  const { width, height, sampling, isYcc } = picture;
  const components = codedComponents(picture, rows.quantization);
  const work: Work = {
    writing,
    rows,
    writer: new ResultWriter(kernel, { width, height, components }),
    script: {
      componentCount: sampling.length,
      chroma: isYcc ? [1, 2] : [],
      interleaves: unitsInMcu(sampling) <= 10,
    },
  };
  const areKept = rows.keepAll();
  if (rows.areTooColorful) return { kind: 'too-colorful' };
  const bytes = (areKept ? fromKept(kernel, work) : null) ?? fromStreamed(kernel, work);
  if (kernel.codingFailure() !== 0) return { kind: 'not-codable' };
  return bytes === 'too-long' ? { kind: 'too-long' } : { kind: 'coded', bytes };
}

interface Work {
  readonly writing: Writing;
  readonly rows: CodedRows;
  readonly writer: ResultWriter;
  readonly script: ScriptFrame;
}

type Bytes = Uint8Array<ArrayBuffer> | 'too-long';

/** Blocks that an estimate of a scan's cost looks at, about. */
const sampleBlocks = 60_000;

/** Writes the best script of scans; null where there is no memory for the result. */
function fromKept(kernel: JpegKernel, { writing, rows, writer, script }: Work): Bytes | null {
  const rowStep = Math.max(1, Math.round(rows.blocks / sampleBlocks));
  const cost = (scan: Parameters<typeof writer.cost>[0]) => writer.cost(scan, rowStep);
  const sequentialBits = sequentialScans(script).reduce((bits, scan) => bits + cost(scan), 0);
  const { process, scans } = chooseCoding(script, cost, sequentialBits);
  const isShort = kernel.room() < writing.most;
  const isWritten =
    writer.begin(process, writing.head, writing.most) && scans.every((scan) => writer.write(scan));
  const bytes = isWritten ? writer.end() : null;
  return bytes ?? (isShort && kernel.codingFailure() === 0 ? null : 'too-long');
}

/** Writes sequential scans, for each of which the picture flows by twice. */
function fromStreamed(kernel: JpegKernel, { writing, rows, writer, script }: Work): Bytes {
  expectRoom(writing.mayStream ? 1 : 0);
  rows.beginStreaming();
  if (!writer.begin('sequential', writing.head, writing.most)) return 'too-long';
  for (const scan of sequentialScans(script)) {
    writer.select(scan);
    for (const writes of [0, 1]) {
      if (writes && !writer.beginScan(scan)) return 'too-long';
      kernel.beginStreamedScan(writes);
      const isDone = rows.streamMcuRows((m) => kernel.codeMcuRow(m) !== 0);
      if (!(isDone && kernel.endScan())) return 'too-long';
    }
  }
  return writer.end() ?? 'too-long';
}

function codedComponents(
  { ids, isYcc, sampling }: CodedPicture,
  quantization: readonly Uint16Array[],
): readonly CodedComponent[] {
  return sampling.map(({ horizontal, vertical }, c) => {
    const slot = isYcc && c > 0 ? 1 : 0;
    const steps = quantization[c] ?? new Uint16Array(64);
    return { id: ids[c] ?? c + 1, horizontal, vertical, steps, dcSlot: slot, acSlot: slot };
  });
}

function unitsInMcu(sampling: FrameShape['sampling']): number {
  return sampling.reduce((units, { horizontal, vertical }) => units + horizontal * vertical, 0);
}

import { ContainerError } from '../../container/assemble.ts';

/** Marker codes, the byte after 0xFF (ITU-T T.81 table B.1). */
export const marker = {
  tem: 0x01,
  sof0: 0xc0,
  dht: 0xc4,
  jpg: 0xc8,
  dac: 0xcc,
  sof15: 0xcf,
  rst0: 0xd0,
  rst7: 0xd7,
  soi: 0xd8,
  eoi: 0xd9,
  sos: 0xda,
  dqt: 0xdb,
  dnl: 0xdc,
  dri: 0xdd,
  dhp: 0xde,
  exp: 0xdf,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app13: 0xed,
  app14: 0xee,
  app15: 0xef,
  sof55: 0xf7,
  com: 0xfe,
} as const;

/** Why the length of a segment is invalid. */
export type SegmentFault =
  /** The file ends inside it. */
  | 'truncated'
  /** A length of 0 or 1, less than the length field itself; decoders take it for 2 in application segments. */
  | 'impossible';

/**
 * Iterates over the markers of a JPEG, from after SOI to the end of the file (ITU-T T.81 §B.1.1). Reports everything;
 * callers decide what to refuse.
 *
 * Like libjpeg, it skips fill bytes, stuffed bytes, garbage between segments, and the markers TEM and RSTn without
 * reporting them, and so also the entropy-coded data of scans. It allocates nothing, and takes linear time.
 *
 * @example const walker = new MarkerWalker(file); while (walker.next()) if (walker.code === marker.sos) break;
 */
export class MarkerWalker {
  /** Second byte of the marker. */
  code = 0;
  /** File offset of the marker's 0xFF; of the last one if there are fill bytes. */
  start = 0;
  /**
   * File offset of the end of the segment: of the marker for SOI and EOI, which have no parameters. For an invalid
   * segment, where a lenient decoder would continue, possibly beyond the file.
   */
  end = 2;
  fault: SegmentFault | null = null;
  readonly #file: Uint8Array;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  /** File offset of the content, after the marker and the length. */
  get contentStart(): number {
    return this.start + 4;
  }

  /** Advances to the next marker; returns false at the end of the file. */
  next(): boolean {
    const file = this.#file;
    for (let at = file.indexOf(0xff, this.end); at >= 0; at = file.indexOf(0xff, at)) {
      at = this.#behindFill(at);
      const code = file[at];
      if (code === undefined) return false;
      if (isPartOfScanData(code) || code === marker.tem) continue;
      this.#report(code, at);
      return true;
    }
    return false;
  }

  /**
   * Advances to the end of the entropy-coded data after the segment, and returns its offset. Stuffed bytes and restart
   * markers are part of the data (T.81 §B.1.1.5); fill bytes before the marker that ends it are not.
   */
  skipScanData(): number {
    const file = this.#file;
    for (let at = file.indexOf(0xff, this.end); at >= 0; at = file.indexOf(0xff, at)) {
      const firstFill = at;
      at = this.#behindFill(at);
      const code = file[at];
      if (code !== undefined && !isPartOfScanData(code)) {
        this.end = firstFill;
        return firstFill;
      }
    }
    this.end = file.length;
    return file.length;
  }

  /** Offset of the first byte from `at` on that is not 0xFF. */
  #behindFill(at: number): number {
    let behind = at;
    while (this.#file[behind] === 0xff) behind += 1;
    return behind;
  }

  #report(code: number, at: number): void {
    const file = this.#file;
    this.code = code;
    this.start = at - 1;
    this.fault = null;
    this.end = at + 1;
    if (code === marker.soi || code === marker.eoi) return;
    const length = ((file[at + 1] ?? 0) << 8) | (file[at + 2] ?? 0);
    this.end += Math.max(2, length);
    if (at + 2 >= file.length) this.fault = 'truncated';
    else if (length < 2 && !isApplication(code)) this.fault = 'impossible';
    else if (this.end > file.length) this.fault = 'truncated';
  }
}

/** Whether a code is that of a segment that decoders skip: APPn or COM. */
function isApplication(code: number): boolean {
  return (code >= marker.app0 && code <= marker.app15) || code === marker.com;
}

/** Whether 0xFF and this byte are part of scan data: a stuffed byte (0xFF 0x00) or a restart marker. */
function isPartOfScanData(code: number): boolean {
  return code === 0x00 || (code >= marker.rst0 && code <= marker.rst7);
}

/** A part of the file that belongs to its first image. */
export interface ImagePart {
  readonly kind: 'coding' | 'application' | 'scan data' | 'end';
  readonly code: number;
  /** File offsets; segments include their marker. */
  readonly start: number;
  readonly end: number;
}

/**
 * Iterates over the parts of a file with at least one scan in order: marker segments, and the entropy-coded data after
 * each scan header. After the first scan, anything that cannot be a segment of this image is trailing garbage after a
 * missing end marker, and ends the iteration.
 *
 * @throws ContainerError if the headers before the first scan cannot be read
 */
export function* imageParts(file: Uint8Array): Generator<ImagePart> {
  const walker = new MarkerWalker(file);
  let hasScan = false;
  while (walker.next()) {
    const { code, start, end } = walker;
    if (code === marker.eoi) {
      yield { kind: 'end', code, start, end };
      return;
    }
    const kind = segmentKind(code, hasScan);
    if (kind === undefined || walker.fault) {
      if (hasScan) return;
      throw new ContainerError('The JPEG headers cannot be read.');
    }
    yield { kind, code, start, end };

    if (code === marker.sos) {
      hasScan = true;
      yield { kind: 'scan data', code, start: end, end: walker.skipScanData() };
    }
  }
}

/** The kind of a segment; undefined if it is not allowed in a JPEG, or only before its first scan. */
function segmentKind(code: number, hasScan: boolean): 'coding' | 'application' | undefined {
  if (isApplication(code)) return 'application';
  switch (code) {
    case marker.dht:
    case marker.dac:
    case marker.sos:
    case marker.dqt:
    case marker.dnl:
    case marker.dri:
      return 'coding';
  }
  return isFrameHeader(code) && !hasScan ? 'coding' : undefined;
}

/**
 * Whether a code is SOF0 to SOF15. Of DHT, JPG and DAC, which are in that range, callers exclude the first and the
 * last.
 */
export function isFrameHeader(code: number): boolean {
  return code >= marker.sof0 && code <= marker.sof15 && code !== marker.jpg;
}

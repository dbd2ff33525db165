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

/** Why a segment is not in the file as its length says. */
export type SegmentFault =
  /** The file ends inside it. */
  | 'truncated'
  /** A length of 0 or 1, which does not even cover the two bytes that state it. */
  | 'impossible';

/**
 * Walks over the markers of a JPEG, from behind SOI to the end of the file (ITU-T T.81 §B.1.1).
 * It only reports what stands there; every consumer decides for itself what it refuses.
 *
 * As libjpeg, it steps over fill bytes, stuffed bytes, garbage between segments, and the markers TEM
 * and RSTn, none of which it reports. That also takes it over the entropy-coded data of a scan. It
 * allocates nothing, and takes time linear in the file.
 *
 * @example
 * const walker = new MarkerWalker(file);
 * while (walker.next()) if (walker.code === marker.sos) break;
 */
export class MarkerWalker {
  /** The marker's second byte. */
  code = 0;
  /** File offset of the marker's 0xFF; the last one where fill bytes come before it. */
  start = 0;
  /**
   * File offset behind the segment. Of SOI and EOI, which have no parameters, behind the marker; of a
   * faulty segment, where a decoder that takes no notice would go on, possibly behind the file.
   */
  end = 2;
  fault: SegmentFault | null = null;
  readonly #file: Uint8Array;

  constructor(file: Uint8Array) {
    this.#file = file;
  }

  /** File offset of what follows the marker and the length. */
  get contentStart(): number {
    return this.start + 4;
  }

  /** Moves on to the next marker; false at the end of the file. */
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
   * Moves to the end of the entropy-coded data that begin where the segment ends, and returns it.
   * Stuffed bytes and restart markers belong to the data (T.81 §B.1.1.5); fill bytes before the marker
   * that ends them do not.
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
    else if (length < 2) this.fault = 'impossible';
    else if (this.end > file.length) this.fault = 'truncated';
  }
}

/** A stuffed byte, of which 0xFF 0x00 stands for 0xFF, or a restart marker. */
function isPartOfScanData(code: number): boolean {
  return code === 0x00 || (code >= marker.rst0 && code <= marker.rst7);
}

/** A part of the file that belongs to its (first) image. */
export interface ImagePart {
  readonly kind: 'coding' | 'application' | 'scan data' | 'end';
  readonly code: number;
  /** File offsets; a segment begins with its marker. */
  readonly start: number;
  readonly end: number;
}

/**
 * The parts of a file that has at least one scan, in their order: marker segments, and the
 * entropy-coded data after each scan header. After the first scan, what cannot be a segment of this
 * image is trailing garbage behind a lost end marker, and ends the walk.
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

/** Undefined for what has no place in a JPEG, or only before its first scan. */
function segmentKind(code: number, hasScan: boolean): 'coding' | 'application' | undefined {
  if ((code >= marker.app0 && code <= marker.app15) || code === marker.com) return 'application';
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

/** SOF0 to SOF15, of which DHT, JPG and DAC take three codes; the first and the last are told apart before. */
export function isFrameHeader(code: number): boolean {
  return code >= marker.sof0 && code <= marker.sof15 && code !== marker.jpg;
}

import { ContainerError } from '../../container/assemble.ts';

/** What a JPEG consists of: marker segments, and the entropy-coded data after each scan header. */
interface Piece {
  readonly kind: 'coding' | 'application' | 'scan data' | 'end';
  readonly code: number;
  /** File offsets; a segment begins with its marker. */
  readonly start: number;
  readonly end: number;
}

/**
 * Goes through a file that has at least one scan. As libjpeg it steps over fill bytes, stray
 * parameterless markers and garbage between segments. After the first scan, what cannot be a segment
 * of this image is trailing garbage behind a lost end marker.
 */
export function* jpegPieces(file: Uint8Array): Generator<Piece> {
  let position = 2;
  let hasScan = false;
  for (;;) {
    const at = nextMarker(file, position);
    const code = file[at];
    if (code === undefined) return;
    position = at + 1;
    if (code === marker.tem || isRestart(code)) continue;
    const start = at - 1;
    if (code === marker.eoi) {
      yield { kind: 'end', code, start, end: at + 1 };
      return;
    }
    const kind = segmentKind(code, hasScan);
    const length = ((file[at + 1] ?? 0) << 8) | (file[at + 2] ?? 0);
    position += length;
    if (kind === undefined || length < 2 || position > file.length) {
      if (hasScan) return;
      throw new ContainerError('The JPEG headers cannot be read.');
    }
    yield { kind, code, start, end: position };

    if (code === marker.sos) {
      hasScan = true;
      const end = endOfScanData(file, position);
      yield { kind: 'scan data', code, start: position, end };
      position = end;
    }
  }
}

/** Index of a marker's second byte; the file's length when there is none. */
function nextMarker(file: Uint8Array, from: number): number {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at)) {
    while (file[at] === 0xff) at++;
    if (file[at] !== 0x00) return at;
  }
  return file.length;
}

function isRestart(code: number): boolean {
  return code >= marker.rst0 && code <= marker.rst7;
}

/** Undefined for what has no place in a JPEG, or only before its first scan. */
function segmentKind(code: number, hasScan: boolean): Piece['kind'] | undefined {
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
  const isFrame = code >= marker.sof0 && code <= marker.sof15 && code !== marker.jpg;
  return isFrame && !hasScan ? 'coding' : undefined;
}

/**
 * Stuffed bytes (FF 00) and restart markers belong to the data (T.81 §B.1.1.5), fill bytes before
 * the marker that ends it do not.
 */
function endOfScanData(file: Uint8Array, start: number): number {
  for (let at = file.indexOf(0xff, start); at >= 0; at = file.indexOf(0xff, at)) {
    const run = at;
    while (file[at] === 0xff) at++;
    const code = file[at];
    if (code !== undefined && code !== 0x00 && !isRestart(code)) return run;
  }
  return file.length;
}

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
  app14: 0xee,
  app15: 0xef,
  sof55: 0xf7,
  com: 0xfe,
} as const;

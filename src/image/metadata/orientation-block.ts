import type { Orientation } from '../inspect/inspection.ts';

/**
 * The smallest EXIF block that carries an orientation: a TIFF header and one IFD with one entry, 26
 * bytes, bare as PNG and WebP want it. Source: CIPA DC-008 §4.5–4.6, TIFF 6.0 §2.
 */
export function orientationBlock(orientation: Orientation): Uint8Array {
  return Uint8Array.of(
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8], // "MM", 42, the IFD follows at once
    ...[0, 1], // one entry
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0], // Orientation, one SHORT
    ...[0, 0, 0, 0], // no other IFD
  );
}

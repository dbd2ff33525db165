import { ascii, joinBytes, uint32 } from '../../container/assemble.ts';
import { writeBox } from '../../container/iso-boxes.ts';
import type { Metadata } from '../../metadata/metadata.ts';

/** The signature of files that consist of boxes (ISO/IEC 18181-2 §9.1). */
const signature = writeBox('JXL ', Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a));
const fileType = writeBox('ftyp', ascii('jxl '), uint32(0), ascii('jxl '));

/**
 * What precedes a codestream of this length, which is last in the file: nothing, or boxes with metadata. Decoders take
 * the orientation from the codestream and ignore that of EXIF.
 */
export function containerHead({ exif, xmp }: Metadata, codestreamBytes: number): Uint8Array {
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

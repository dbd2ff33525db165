import { type Orientation, orientationBlock } from './exif-block.ts';
import { editedExif, exifRights } from './exif-edits.ts';
import { iptcRights, iptcStatements } from './iptc.ts';
import { type Metadata, noMetadata } from './metadata.ts';
import { editedXmp, xmpRights } from './xmp-edits.ts';

/** How much of a source's metadata goes on. */
export type MetadataLevel = 'none' | 'copyright' | 'all';

/** What of a source's metadata goes on. */
export interface Keeping {
  readonly level: MetadataLevel;
  /** All that the source has. */
  readonly metadata: Metadata;
}

export interface Shown {
  /** EXIF orientation that the result needs as a tag; 1 when its pixels are upright. */
  readonly orientation: Orientation;
  /**
   * Width and height in pixels of the coded result when its pixels were turned, cut or resized; null
   * when they are as they were.
   */
  readonly newSize: { readonly width: number; readonly height: number } | null;
  /** The container has a place for IPTC (JPEG and PNG). */
  readonly holdsIptc: boolean;
}

/**
 * The metadata that a result carries of its source's: nothing but what a viewer needs, who made and
 * owns it, or all that is still true of it. Where a container has no place for IPTC, its rights go
 * over into XMP.
 *
 * A block with nothing to change is the very same array. An EXIF block gets at most a directory (12
 * KiB) longer; an XMP packet of up to 256 KiB that is written anew is at most six times as long, should
 * it be made of quotation marks. Damaged blocks are never an error: they are left out or, where nothing
 * speaks against it, kept as they are under `all`.
 */
export function carriedMetadata(source: Metadata, level: MetadataLevel, shown: Shown): Metadata {
  const { orientation, newSize, holdsIptc } = shown;
  const statements = holdsIptc || !source.iptc ? null : iptcStatements(source.iptc);
  switch (level) {
    case 'none':
      return { ...noMetadata, exif: orientation === 1 ? null : orientationBlock(orientation) };
    case 'copyright':
      return {
        exif: exifRights(source.exif, orientation),
        xmp: xmpRights(source.xmp, statements),
        iptc: holdsIptc && source.iptc ? iptcRights(source.iptc) : null,
      };
    case 'all': {
      const xmp = source.xmp && editedXmp(source.xmp, { orientation, newSize, statements });
      return {
        exif: editedExif(source.exif, orientation, newSize),
        xmp: xmp ?? xmpRights(null, statements),
        iptc: holdsIptc ? source.iptc : null,
      };
    }
  }
}

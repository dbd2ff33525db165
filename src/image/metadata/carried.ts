import { orientationBlock } from './exif-block.ts';
import { editedExif } from './exif-edits.ts';
import { exifRights } from './exif-selection.ts';
import { iptcRights, iptcStatements } from './iptc.ts';
import { type Metadata, noMetadata, type Shown } from './metadata.ts';
import { type MetadataPart, preservedMetadata } from './preserved.ts';
import { editedXmp } from './xmp-edits.ts';
import { xmpRights } from './xmp-selection.ts';

/**
 * How much of a source's metadata goes on: nothing, rights in all their forms, everything, or these parts in as few
 * bytes as can be.
 */
export type MetadataLevel = 'none' | 'copyright' | 'all' | ReadonlySet<MetadataPart>;

/** What of a source's metadata goes on. */
export interface Keeping {
  readonly level: MetadataLevel;
  /** All that the source has. */
  readonly metadata: Metadata;
}

/**
 * The metadata that a result carries of its source's: nothing but what a viewer needs, who made and
 * owns it, parts that were selected, or all that is still true of it. Where a container has no place for
 * IPTC, its rights go over into XMP.
 *
 * A block with nothing to change is the very same array. An EXIF block gets at most a directory (12
 * KiB) longer; an XMP packet of up to 256 KiB that is written anew is at most six times as long, should
 * it be made of quotation marks. Damaged blocks are never an error: they are left out or, where nothing
 * speaks against it, kept as they are under `all`.
 */
export function carriedMetadata(source: Metadata, level: MetadataLevel, shown: Shown): Metadata {
  if (typeof level !== 'string') return preservedMetadata(source, level, shown);
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

import { orientationBlock } from './exif-block.ts';
import { editedExif } from './exif-edits.ts';
import { exifRights } from './exif-selection.ts';
import { iptcRights, iptcStatements } from './iptc.ts';
import { type Metadata, noMetadata, type Shown } from './metadata.ts';
import { type MetadataPart, preservedMetadata } from './preserved.ts';
import { editedXmp } from './xmp-edits.ts';
import { xmpRights } from './xmp-selection.ts';

/**
 * How much metadata of the source is kept: nothing, rights statements in all their forms, everything, or the given
 * parts in as few bytes as possible.
 */
export type MetadataLevel = 'none' | 'copyright' | 'all' | ReadonlySet<MetadataPart>;

/** The source's metadata, and how much of it to keep. */
export interface Keeping {
  readonly level: MetadataLevel;
  /** All metadata of the source. */
  readonly metadata: Metadata;
}

/**
 * Returns the metadata of a result: only what viewers need, the rights statements, selected parts, or everything that
 * still applies. If the container has no place for IPTC, its rights statements are converted to XMP.
 *
 * A block without changes is returned as the same array. An EXIF block grows by at most a directory (12 KiB). An XMP
 * packet (up to 256 KiB) that is rewritten grows to at most six times its length, if it consists of quotation marks.
 * Damaged blocks are not an error: they are dropped or, if that is safe, kept unchanged under `all`.
 */
export function carriedMetadata(source: Metadata, level: MetadataLevel, shown: Shown): Metadata {
  if (typeof level !== 'string') return preservedMetadata(source, level, shown);
  const { orientation, newSize, isNowSrgb, holdsIptc } = shown;
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
      const xmp = source.xmp && editedXmp(source.xmp, { ...shown, statements });
      return {
        exif: editedExif(source.exif, orientation, newSize, isNowSrgb),
        xmp: xmp ?? xmpRights(null, statements),
        iptc: holdsIptc ? source.iptc : null,
      };
    }
  }
}

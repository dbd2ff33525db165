import { storedProfile } from '../../color/stored-profile.ts';
import { ascii, ContainerError, joinBytes, sameBytes, uint16 } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import type { Appearance, Rewrapper } from '../format.ts';
import { fileTypeBrands } from './boxes.ts';
import { avifWithoutMetadata } from './in-place.ts';
import {
  type Association,
  type AvifItems,
  type Item,
  neededItems,
  readAvifItems,
} from './items.ts';
import { metadataItems } from './metadata.ts';
import type { Nclx } from './properties.ts';
import { pictureProperties, readColorProfile, readNclx } from './properties.ts';
import { type PlacedItem, writeAvif } from './writer.ts';

/** Code points of ITU-T H.273. */
const codePoint = { unspecified: 2, bt709Primaries: 1, srgbTransfer: 13, bt601Matrix: 6 } as const;

/** The count of an item's associations is one byte. */
const maxAssociations = 255;

/**
 * Keeps the primary picture with its tiles and its alpha; Exif, XMP, thumbnails, depth and gain maps
 * go with their bytes, and so do boxes beside `meta` and `mdat`. The profile becomes a `colr` of its
 * own beside `nclx`, whose matrix and range stay what decoders need (ISO/IEC 14496-12 §12.1.5,
 * MIAF ISO/IEC 23000-22 §7.3.6.4). `irot` and `imir` stay. EXIF and XMP become items; IPTC has no
 * place and is left out.
 *
 * Limit: image sequences, and pictures whose tables cannot be rewritten with certainty (items with
 * protection, in other files or inside other items), keep their length and everything where it is;
 * their metadata become free space, and none can be added, see `avifWithoutMetadata`.
 * @throws ContainerError when such a file would need another profile than its own
 */
export const rewrapAvif: Rewrapper = (image, file, { icc, metadata }) => {
  const all = image.frames > 1 ? null : readAvifItems(file);
  const needed = all && neededItems(all);
  const pictures = needed && placedItems(needed, all.primaryId, icc);
  if (!pictures) {
    const own = storedProfile(file, image.icc);
    if (icc && !(own instanceof Uint8Array && sameBytes(own, icc))) {
      throw new ContainerError('This AVIF cannot be rewritten to carry another profile.');
    }
    return avifWithoutMetadata(file, metadata);
  }
  const added = metadataItems(metadata, all.primaryId, pictures);
  return writeAvif(file, {
    brands: writtenBrands(fileTypeBrands(viewOf(file))),
    handler: all.handler,
    primaryId: all.primaryId,
    items: [...pictures, ...added.items],
    references: [...keptReferences(all, pictures), ...added.references],
  });
};

/** Major brands by which readers that look no further know an AVIF. */
const knownMajor: ReadonlySet<string> = new Set(['avif', 'mif1']);

/** Without that of gain maps, and with one in front that every reader knows. */
function writtenBrands([major = '', ...compatible]: readonly string[]): readonly string[] {
  const kept = compatible.filter((brand) => brand !== 'tmap');
  return [knownMajor.has(major) ? major : 'avif', ...kept];
}

/** Null when one has data that cannot be moved, or more properties than can be written. */
function placedItems(
  items: readonly Item[],
  primaryId: number,
  icc: Appearance['icc'],
): readonly PlacedItem[] | null {
  const placed: PlacedItem[] = [];
  for (const { id, entry, extents, associations } of items) {
    // descriptions and dates and the like go, unless they are marked essential
    const kept = associations.filter(
      ({ property, essential }) => essential || pictureProperties.has(property.type),
    );
    const list = id === primaryId ? withColor(kept, icc) : kept;
    if (!extents || list.length > maxAssociations) return null;
    placed.push({ id, entry, data: { from: 'file', extents }, associations: list });
  }
  return placed;
}

/**
 * Brings the colour properties of the primary item to what is asked. libavif as @jsquash builds it
 * leaves primaries and transfer "unspecified", which says nothing although its input is sRGB by
 * definition of the web; everything that reads AVIF takes that for sRGB, so saying it changes no
 * picture. With a profile, the profile decides and these two are not looked at.
 */
function withColor(associations: readonly Association[], icc: Appearance['icc']): Association[] {
  const list: Association[] = [];
  let afterColor = 0;
  let hasProfile = false;
  for (const association of associations) {
    const { type, content } = association.property;
    if (type !== 'colr') {
      list.push(association);
      continue;
    }
    const nclx = readNclx(content);
    if (nclx) list.push(withNclx(association, nclx));
    else if (icc && !hasProfile && holdsProfile(content, icc)) {
      list.push(association);
      hasProfile = true;
    }
    afterColor = list.length;
  }
  if (icc && !hasProfile) {
    const content = joinBytes(ascii('prof'), icc);
    // Never behind a transformation: descriptive properties come first (ISO/IEC 23008-12 §6.5.1).
    list.splice(afterColor, 0, { property: { type: 'colr', content }, essential: false });
  }
  return list;
}

function withNclx(
  association: Association,
  { primaries, transfer, matrix, fullRange }: Nclx,
): Association {
  if (primaries !== codePoint.unspecified || transfer !== codePoint.unspecified) return association;
  const content = Uint8Array.of(
    ...ascii('nclx'),
    ...uint16(
      codePoint.bt709Primaries,
      codePoint.srgbTransfer,
      // What decoders take for an unspecified matrix; 0, identity, is that of lossless files.
      matrix === codePoint.unspecified ? codePoint.bt601Matrix : matrix,
    ),
    fullRange ? 0x80 : 0,
  );
  return { property: { type: 'colr', content }, essential: association.essential };
}

function keptReferences({ references }: AvifItems, items: readonly PlacedItem[]) {
  const ids = new Set(items.map(({ id }) => id));
  return references
    .filter(({ from }) => ids.has(from))
    .map(({ type, from, to }) => ({ type, from, to: to.filter((id) => ids.has(id)) }))
    .filter(({ to }) => to.length > 0);
}

/** Whether a `colr` box holds this profile, restricted or not. */
function holdsProfile(colr: Uint8Array, icc: Uint8Array): boolean {
  const profile = readColorProfile(colr);
  return profile !== undefined && sameBytes(profile, icc);
}

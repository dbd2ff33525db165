import { isAcceptedProfile } from '../../../color/accepted-profile.ts';
import { storedProfile } from '../../../color/icc-reader.ts';
import { ascii, ContainerError, joinBytes, sameBytes } from '../../../container/assemble.ts';
import { viewOf } from '../../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../../container/iso-boxes.ts';
import { freeMemory } from '../../../container/workspace.ts';
import type { Rewrapper } from '../../format.ts';
import type { Appearance } from '../../inspection.ts';
import { avifWithoutMetadata } from './in-place.ts';
import {
  type Association,
  type AvifItems,
  type Item,
  neededItems,
  readAvifItems,
} from './items.ts';
import { mender } from './mended.ts';
import { metadataItems } from './metadata.ts';
import {
  codePoint,
  type Nclx,
  pictureProperties,
  readColorProfile,
  readNclx,
  writeNclx,
} from './properties.ts';
import { type PlacedItem, writeAvif } from './writer.ts';

/** Maximum number of associations of an item, which are counted in one byte. */
const maxAssociations = 255;

/**
 * Keeps the primary picture with its tiles and alpha. Drops EXIF, XMP, thumbnails, depth maps and gain maps together
 * with their data, and all boxes except `meta` and `mdat`. The profile becomes a second `colr` box, because decoders
 * still need matrix and range of the one of kind `nclx` (ISO/IEC 14496-12 §12.1.5, MIAF ISO/IEC 23000-22 §7.3.6.4).
 * `irot` and `imir` are kept. The given EXIF and XMP become items; AVIF has no place for IPTC.
 *
 * Limit: image sequences, and pictures whose tables cannot be rewritten safely (protected items, items in other files
 * or inside other items), are changed in place: see `avifWithoutMetadata`.
 * @throws ContainerError if the profile of such a file would have to be replaced
 */
export const rewrapAvif: Rewrapper = (image, file, { icc, metadata }) => {
  const all = readAvifItems(file);
  const needed = all && image.frames === 1 ? neededItems(all) : null;
  const unmended = all && needed && placedItems(needed, all, icc, false);
  if (!unmended) {
    const own = storedProfile(file, image.icc);
    if (icc && !(own instanceof Uint8Array && sameBytes(own, icc))) {
      throw new ContainerError('This AVIF cannot be rewritten to carry another profile.');
    }
    return avifWithoutMetadata(file, all, metadata);
  }
  const written = (pictures: readonly PlacedItem[]) => {
    const added = metadataItems(metadata, all.primaryId, pictures);
    return writeAvif(file, {
      brands: writtenBrands(fileTypeBrands(viewOf(file))),
      handler: all.handler,
      primaryId: all.primaryId,
      items: [...pictures, ...added.items],
      references: [...keptReferences(all, pictures), ...added.references],
    });
  };
  // Optional repairs are left out if they would make the file longer.
  const mended = placedItems(needed, all, icc, true);
  const result = mended && written(mended);
  if (result && result.length <= file.length) return result;
  freeMemory(result);
  return written(unmended);
};

/** Major brands that readers accept if they ignore the compatible ones. */
const knownMajor: ReadonlySet<string> = new Set(['avif', 'mif1']);

/** The brands of the file without that of gain maps, with a major brand that all readers accept. */
function writtenBrands([major = '', ...compatible]: readonly string[]): readonly string[] {
  const kept = compatible.filter((brand) => brand !== 'tmap');
  return [knownMajor.has(major) ? major : 'avif', ...kept];
}

/** The items to write; null if one cannot be moved or has too many properties. */
function placedItems(
  items: readonly Item[],
  all: AvifItems,
  icc: Appearance['icc'],
  isMended: boolean,
): readonly PlacedItem[] | null {
  const associationsOf = isMended ? mender(all) : (item: Item) => item.associations;
  const placed: PlacedItem[] = [];
  for (const item of items) {
    const { id, entry, extents } = item;
    // Descriptive properties, such as dates, are dropped unless an item marks them as essential.
    const kept = associationsOf(item).filter(
      ({ property, essential }) => essential || pictureProperties.has(property.type),
    );
    const list = id === all.primaryId ? withColor(kept, icc) : kept;
    if (!extents || list.length > maxAssociations) return null;
    placed.push({ id, entry, data: { from: 'file', extents }, associations: list });
  }
  return placed;
}

/**
 * Returns the properties of the primary item with this profile as the only one, or without any if engines do not accept
 * it: viewers of other formats ignore such a profile, but Chromium does not show an AVIF that has one. Encoders often
 * leave primaries and transfer unspecified. Readers treat that as sRGB, so stating sRGB does not change the picture;
 * with a profile, readers ignore them.
 */
export function withColor(
  associations: readonly Association[],
  profile: Appearance['icc'],
): Association[] {
  const icc = profile && isAcceptedProfile(profile) ? profile : null;
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
    // Never after a transformation: descriptive properties come first (ISO/IEC 23008-12 §6.5.1).
    list.splice(afterColor, 0, { property: { type: 'colr', content }, essential: false });
  }
  return list;
}

function withNclx(association: Association, nclx: Nclx): Association {
  const { primaries, transfer, matrix } = nclx;
  if (primaries !== codePoint.unspecified || transfer !== codePoint.unspecified) return association;
  const content = writeNclx({
    ...nclx,
    primaries: codePoint.bt709Primaries,
    transfer: codePoint.srgbTransfer,
    // Decoders treat an unspecified matrix as BT.601; lossless files have 0, identity.
    matrix: matrix === codePoint.unspecified ? codePoint.bt601Matrix : matrix,
  });
  return { property: { type: 'colr', content }, essential: association.essential };
}

function keptReferences({ references }: AvifItems, items: readonly PlacedItem[]) {
  const ids = new Set(items.map(({ id }) => id));
  return references
    .filter(({ from }) => ids.has(from))
    .map(({ type, from, to }) => ({ type, from, to: to.filter((id) => ids.has(id)) }))
    .filter(({ to }) => to.length > 0);
}

/** Whether a `colr` box contains this profile, restricted or not. */
function holdsProfile(colr: Uint8Array, icc: Uint8Array): boolean {
  const profile = readColorProfile(colr);
  return profile !== undefined && sameBytes(profile, icc);
}

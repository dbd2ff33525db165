import { storedProfile } from '../../color/icc-reader.ts';
import { ascii, ContainerError, joinBytes, sameBytes, uint16 } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { fileTypeBrands } from '../../container/iso-boxes.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance } from '../inspection.ts';
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
import { type Nclx, pictureProperties, readColorProfile, readNclx } from './properties.ts';
import { type PlacedItem, writeAvif } from './writer.ts';

/** Code points of ITU-T H.273. */
const codePoint = { unspecified: 2, bt709Primaries: 1, srgbTransfer: 13, bt601Matrix: 6 } as const;

/** The count of an item's associations is one byte. */
const maxAssociations = 255;

/**
 * Keeps the primary picture with its tiles and its alpha, and drops Exif, XMP, thumbnails, depth and
 * gain maps with their bytes, and all boxes beside `meta` and `mdat`. The profile becomes a `colr` box
 * beside the one of kind `nclx`, whose matrix and range decoders still need (ISO/IEC 14496-12 §12.1.5,
 * MIAF ISO/IEC 23000-22 §7.3.6.4). `irot` and `imir` stay. EXIF and XMP become items; AVIF has no
 * place for IPTC, which is left out.
 *
 * Limit: image sequences, and pictures whose tables cannot be rewritten with certainty (items under
 * protection, in other files or inside other items), are changed in place: see `avifWithoutMetadata`.
 * @throws ContainerError if such a file would need another profile than its own
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
  // what readers can do without is not worth that a file gets longer
  const mended = placedItems(needed, all, icc, true);
  const result = mended && written(mended);
  if (result && result.length <= file.length) return result;
  result?.buffer.transfer(0);
  return written(unmended);
};

/** Major brands by which an AVIF is known to readers that ignore the compatible ones. */
const knownMajor: ReadonlySet<string> = new Set(['avif', 'mif1']);

/** The old brands without that of gain maps, behind a major brand that every reader knows. */
export function writtenBrands([major = '', ...compatible]: readonly string[]): readonly string[] {
  const kept = compatible.filter((brand) => brand !== 'tmap');
  return [knownMajor.has(major) ? major : 'avif', ...kept];
}

/** The items as they are to be written; null if one cannot be moved or has too many properties. */
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
    // descriptions, dates and the like are dropped unless an item marks them as essential
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
 * The properties of the primary item with this profile and no other. libavif as @jsquash builds it
 * leaves primaries and transfer "unspecified" although its input is sRGB by definition of the web.
 * Readers take that for sRGB, so writing sRGB changes no picture. With a profile, the profile decides
 * and readers ignore these two.
 */
export function withColor(
  associations: readonly Association[],
  icc: Appearance['icc'],
): Association[] {
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
      // Decoders take BT.601 for an unspecified matrix; lossless files state 0, identity.
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

import { ByteCursor } from '../../container/byte-cursor.ts';
import { type Box, nextBox, topLevelBoxes, visitBoxes } from '../../container/iso-boxes.ts';
import { broken, isUnreadable, type Unreadable, unsupportedFeature } from '../../refusal.ts';
import type { Inspection, InspectionResult } from '../inspection.ts';
import { type AvifCoding, codingOf } from './codec/stream-facts.ts';
import {
  findTables,
  openAssociations,
  openEntries,
  openLocations,
  readPrimaryId,
  rowsThatFit,
  visitEntries,
  visitReferences,
} from './container/item-tables.ts';
import {
  type Association,
  neededItems,
  readAssociations,
  readAvifItems,
} from './container/items.ts';
import {
  type AvifChroma,
  type AvifMirror,
  type AvifRotation,
  type CleanAperture,
  isAlphaType,
  type Nclx,
  pictureProperties,
  readAv1Configuration,
  readCleanAperture,
  readColorProfile,
  readMirror,
  readNclx,
  readRotation,
  readSpatialExtents,
} from './container/properties.ts';
import { sequenceFrames, visitTracks } from './container/sequence.ts';

/** The transformations apply in the order `cleanAperture`, `rotation`, `mirror` (MIAF, ISO/IEC 23000-22 §7.3.6.7). */
export interface AvifInspection extends Inspection {
  readonly type: 'avif';
  readonly chroma: AvifChroma;
  readonly nclx: Nclx | null;
  readonly rotation: AvifRotation;
  readonly mirror: AvifMirror;
  readonly cleanAperture: CleanAperture | null;
  readonly isGrid: boolean;
  readonly coding: AvifCoding;
}

/**
 * Reads the item tables of an AVIF. EXIF orientation is ignored in AVIF; only the transformations of the primary item
 * apply (MIAF, ISO/IEC 23000-22 §7.3.6.7).
 *
 * @param brands the brands in its `ftyp` box
 *
 * Source: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12.
 */
export function inspectAvif(
  view: DataView,
  brands: readonly string[],
): InspectionResult<AvifInspection> {
  const boxes = boxesIn(view, 0, view.byteLength);
  if (boxes > maxBoxes) return tooManyItems;
  const { meta, moov, misfit } = topLevelBoxes(view);
  // A box that extends beyond the end of the file, or states no possible size, is trailing garbage, unless it precedes
  // the item tables or contains data that is missing.
  if (misfit !== undefined && (!meta || misfit === 'moov')) return broken(truncated);
  if (!meta) {
    return moov
      ? unsupportedFeature('An AVIF sequence without a still picture is not supported.')
      : broken('The AVIF has no primary picture.');
  }
  const mentions = allMentions(view, meta, moov);
  if (mentions > maxMentions) return tooManyItems;
  const items = readPictureItems(view, meta);
  if (isUnreadable(items)) return items;
  const frames = brands.includes('avis') && moov ? sequenceFrames(view, moov) : 1;
  const image = describe(view, items, frames);
  if (isUnreadable(image)) return image;
  const file = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  if (misfit === 'mdat' && (frames > 1 || !isWhole(file))) return broken(truncated);
  const partsMs = boxMs * boxes + mentionMs * mentions;
  return { kind: 'image', image: { ...image, ...codingOf(file, image), partsMs } };
}

const truncated = 'The AVIF ends before the length that it states.';

/** Whether all data of the picture lie within the file. */
function isWhole(file: Uint8Array): boolean {
  const all = readAvifItems(file);
  const needed = all && neededItems(all);
  return needed?.every(({ extents }) => extents !== null) ?? false;
}

/**
 * Maximum total of rows and references in all item tables. libavif searches its list of items for each of them: a
 * megabyte of rows would take minutes, this number a tenth of a second. A cell has four, or nine with alpha, so this
 * allows four thousand cells: 16 megapixels in the smallest cells (64 × 64, ISO/IEC 23000-22 §7.3.11.4.2).
 */
export const maxMentions = 16_384;

const tooManyItems = unsupportedFeature('An AVIF of so many items is not supported.');

/** Maximum number of boxes at all levels: as many properties for each item as there are rows, and more. */
const maxBoxes = 65_536;

/** CPU time of a box, and of a row or reference, in milliseconds. */
const boxMs = 0.006;
const mentionMs = 0.014;

/** Bytes before the boxes within a box, for those that contain boxes (ISO/IEC 14496-12 §6.2.3). */
const contentAt: Readonly<Record<string, number>> = {
  ...{ meta: 4, iprp: 0, ipco: 0 },
  ...{ moov: 0, trak: 0, mdia: 0, minf: 0, stbl: 0 },
};

/** Number of boxes in a range, including those within others; stops counting beyond the maximum. */
function boxesIn(view: DataView, start: number, end: number): number {
  let boxes = 0;
  const ranges = [{ start, end }];
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    const cursor = new ByteCursor(view, range.start, range.end);
    while (cursor.remaining > 0 && boxes <= maxBoxes) {
      const box = nextBox(cursor);
      if (!box) break;
      boxes += 1;
      const content = contentAt[box.type];
      if (content !== undefined) ranges.push({ start: box.start + content, end: box.end });
    }
  }
  return boxes;
}

/** The rows and references in the item tables of a file and of its tracks. */
function allMentions(view: DataView, meta: Box, moov: Box | undefined): number {
  let mentions = mentionsIn(view, meta);
  if (moov) {
    visitTracks(view, moov, (trak) => {
      visitBoxes(view, trak.start, trak.end, (box) => {
        if (box.type === 'meta') mentions += mentionsIn(view, box);
      });
    });
  }
  return mentions;
}

/** Upper bound of the rows and references that a parser can find in the tables of a `meta` box. */
function mentionsIn(view: DataView, meta: Box): number {
  let mentions = 0;
  visitBoxes(view, meta.start + 4, meta.end, (box) => {
    switch (box.type) {
      case 'iinf':
        visitBoxes(view, openEntries(view, box).start, box.end, () => {
          mentions += 1;
        });
        break;
      case 'iloc':
        mentions += rowsThatFit(openLocations(view, box));
        break;
      case 'iref':
        visitReferences(view, box, ({ count }) => {
          mentions += 1 + count;
        });
        break;
      case 'iprp':
        visitBoxes(view, box.start, box.end, (inner) => {
          if (inner.type === 'ipma') mentions += rowsThatFit(openAssociations(view, inner));
        });
        break;
    }
  });
  return mentions;
}

/** The items that describe a picture, as their properties in the order of application. */
interface PictureItems {
  /** Four characters: `av01`, `grid` or another derivation. */
  readonly primaryType: string;
  readonly primary: readonly Association[];
  /** Properties of the first tile if the primary item is derived from others; else null. */
  readonly tile: readonly Association[] | null;
  /** Whether there is an alternative picture derived by a gain map (ISO 21496-1). */
  readonly hasGainMap: boolean;
  /** Properties of each auxiliary item of the primary item or of its first tile. */
  readonly auxiliaries: readonly (readonly Association[])[];
}

const damaged = 'The AVIF item tables are damaged.';

/**
 * Maximum number of auxiliary items, whose properties are kept in memory. Real pictures have a handful: alpha, depth, a
 * gain map.
 */
const maxAuxiliaries = 64;

/**
 * Looks up the primary item, its first tile and its auxiliary items in a `meta` box. Each table is read once or twice,
 * and only the rows of these items are kept, so time is linear and memory constant in the length of the tables. Source:
 * ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §9.3 and §6.4.
 */
function readPictureItems(view: DataView, meta: Box): PictureItems | Unreadable {
  const tables = findTables(view, meta);
  if (!tables) return broken(damaged);
  const { pitm, iinf, iprp, iref } = tables;
  if (!pitm || !iinf || !iprp) return broken('The AVIF has no primary picture.');

  const primaryId = readPrimaryId(view, pitm);
  if (primaryId === undefined) return broken(damaged);
  const primaryType = itemType(view, iinf, primaryId);
  if (primaryType === undefined) return broken('The AVIF has no primary picture.');

  const tileId = iref ? firstTile(view, iref, primaryId) : undefined;
  const auxiliaryIds = iref
    ? auxiliariesOf(view, iref, [primaryId, tileId ?? primaryId])
    : new Set<number>();
  if (auxiliaryIds.size > maxAuxiliaries) {
    return unsupportedFeature('AVIF with so many auxiliary pictures is not supported.');
  }

  const wantedIds = new Set([primaryId, tileId ?? primaryId, ...auxiliaryIds]);
  const associations = readAssociations(view, iprp, (id) => wantedIds.has(id));
  if (!associations) return broken(damaged);
  const propertiesOf = (id: number) => associations.get(id) ?? [];
  return {
    primaryType,
    primary: propertiesOf(primaryId),
    tile: tileId === undefined ? null : propertiesOf(tileId),
    hasGainMap: hasItemOf(view, iinf, 'tmap'),
    auxiliaries: [...auxiliaryIds].map(propertiesOf),
  };
}

/** The type of an item: that of the first entry with its id that has one. */
function itemType(view: DataView, iinf: Box, wantedId: number): string | undefined {
  let type: string | undefined;
  visitEntries(view, iinf, ({ entry }) => {
    if (entry?.id === wantedId && entry.type !== '') type ??= entry.type;
  });
  return type;
}

function hasItemOf(view: DataView, iinf: Box, type: string): boolean {
  let isThere = false;
  visitEntries(view, iinf, ({ entry }) => {
    isThere ||= entry?.type === type;
  });
  return isThere;
}

/** The first input of a derived primary item (ISO/IEC 23008-12 §6.4.7). */
function firstTile(view: DataView, iref: Box, primaryId: number): number | undefined {
  let tileId: number | undefined;
  visitReferences(view, iref, ({ type, from, to }) => {
    if (type === 'dimg' && from === primaryId) tileId ??= to()[0];
  });
  return tileId;
}

/** The auxiliary items of these pictures: `auxl` refers to a whole picture or to one of its tiles. */
function auxiliariesOf(view: DataView, iref: Box, pictureIds: readonly number[]): Set<number> {
  const ids = new Set<number>();
  visitReferences(view, iref, ({ type, from, to }) => {
    if (type !== 'auxl' || ids.size > maxAuxiliaries) return;
    if (to().some((id) => pictureIds.includes(id))) ids.add(from);
  });
  return ids;
}

function describe(
  view: DataView,
  { primary, primaryType, tile, hasGainMap, auxiliaries }: PictureItems,
  frames: number,
): Omit<AvifInspection, 'coding'> | Unreadable {
  if (primaryType !== 'av01' && primaryType !== 'grid') {
    return unsupportedFeature(
      `AVIF with a primary picture of type "${primaryType}" is not supported.`,
    );
  }
  // An item must not be shown if one of its essential properties is unknown (ISO/IEC 23008-12 §9.3.1).
  const unknown = primary.find(
    ({ property, essential }) => essential && !pictureProperties.has(property.type),
  );
  if (unknown) {
    return unsupportedFeature(
      `AVIF that needs the property "${unknown.property.type}" is not supported.`,
    );
  }

  const extentsBox = find(primary, 'ispe');
  const extents = extentsBox && readSpatialExtents(extentsBox);
  if (!extents) return broken('The AVIF does not state its size.');
  if (extents.width === 0 || extents.height === 0) {
    return broken('The AVIF has a width or height of zero.');
  }
  // A grid has no codec configuration; all of its tiles have the same one (ISO/IEC 23000-22 §7.3.11.4.1).
  const configurationBox = find((primaryType === 'grid' ? tile : primary) ?? [], 'av1C');
  const configuration = configurationBox && readAv1Configuration(configurationBox);
  if (!configuration) return broken('The AVIF does not state how it is coded.');

  const apertureBox = find(primary, 'clap');
  const aperture = apertureBox ? readCleanAperture(apertureBox, extents) : null;
  const rotationBox = find(primary, 'irot');
  const mirrorBox = find(primary, 'imir');
  const profile = firstColor(primary, readColorProfile);

  return {
    type: 'avif',
    width: extents.width,
    height: extents.height,
    bitDepth: configuration.bitDepth,
    hasAlpha: auxiliaries.some((associations) => {
      const kind = find(associations, 'auxC');
      return kind !== undefined && isAlphaType(kind);
    }),
    isGrey: configuration.chroma === '400',
    frames,
    orientation: 1,
    icc: profile ? [{ offset: profile.byteOffset - view.byteOffset, length: profile.length }] : [],
    chroma: configuration.chroma,
    nclx: firstColor(primary, readNclx) ?? null,
    rotation: rotationBox ? readRotation(rotationBox) : 0,
    mirror: mirrorBox ? readMirror(mirrorBox) : 'none',
    cleanAperture: aperture,
    isGrid: primaryType === 'grid',
    ...(hasGainMap && { gainMap: 'bound' }),
  };
}

/** The content of the first property of a type. */
function find(associations: readonly Association[], type: string): Uint8Array | undefined {
  return associations.find(({ property }) => property.type === type)?.property.content;
}

/** The value of the first `colr` property that `read` can parse. */
function firstColor<Value>(
  associations: readonly Association[],
  read: (content: Uint8Array) => Value | undefined,
): Value | undefined {
  for (const { property } of associations) {
    const value = property.type === 'colr' ? read(property.content) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

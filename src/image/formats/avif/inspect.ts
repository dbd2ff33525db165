import { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, isUnreadable, type Unreadable, unsupportedFeature } from '../../refusal.ts';
import type { AvifInspection, InspectionResult, Nclx } from '../format.ts';
import { type Box, nextBox } from './boxes.ts';
import {
  type AvifItems,
  type ItemProperty,
  readAvifItems,
  speaksOfTooManyItems,
} from './inspected-items.ts';
import {
  isAlphaType,
  pictureProperties,
  profileRange,
  readAv1Configuration,
  readCleanAperture,
  readMirror,
  readNclx,
  readRotation,
  readSpatialExtents,
} from './properties.ts';
import { avifSequenceFrames } from './sequence.ts';

const truncated = 'The AVIF ends before the length that it states.';

interface TopLevel {
  readonly meta: Box | undefined;
  readonly moov: Box | undefined;
}

/**
 * Reads the item tables of an AVIF; `brands` are those of its `ftyp` box. EXIF orientation does not
 * count in AVIF (MIAF, ISO/IEC 23000-22 §7.3.6.7), and only transforms of the primary item do.
 * Source: AV1 Image File Format 1.1, ISO/IEC 23008-12, ISO/IEC 14496-12.
 */
export function inspectAvif(view: DataView, brands: readonly string[]): InspectionResult {
  const topLevel = findTopLevel(view);
  if (isUnreadable(topLevel)) return topLevel;
  if (!topLevel.meta) {
    return topLevel.moov
      ? unsupportedFeature('An AVIF sequence without a still picture is not supported.')
      : broken('The AVIF has no primary picture.');
  }
  if (speaksOfTooManyItems(view, topLevel.meta, topLevel.moov)) {
    return unsupportedFeature('An AVIF of so many items is not supported.');
  }
  const items = readAvifItems(view, topLevel.meta);
  if (isUnreadable(items)) return items;
  const isSequence = brands.includes('avis') && topLevel.moov;
  const frames = isSequence ? avifSequenceFrames(view, topLevel.moov) : 1;
  const image = describe(view, items, frames);
  return isUnreadable(image) ? image : { kind: 'image', image };
}

/**
 * The first `meta` and `moov`. A box that leaves the file is a truncation when it is media data or
 * comes before the description; anything else after that is trailing garbage.
 */
function findTopLevel(view: DataView): TopLevel | Unreadable {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  let meta: Box | undefined;
  let moov: Box | undefined;
  while (cursor.remaining > 0) {
    const type = new ByteCursor(view, cursor.position + 4, cursor.end).text(4);
    const box = nextBox(cursor);
    if (!box) {
      const isGarbage = meta && type !== 'mdat' && type !== 'moov';
      return isGarbage ? { meta, moov } : broken(truncated);
    }
    if (type === 'meta') meta ??= box;
    if (type === 'moov') moov ??= box;
  }
  return { meta, moov };
}

function describe(view: DataView, items: AvifItems, frames: number): AvifInspection | Unreadable {
  const { primary, primaryType, tile } = items;
  if (primaryType !== 'av01' && primaryType !== 'grid') {
    return unsupportedFeature(
      `AVIF with a primary picture of type "${primaryType}" is not supported.`,
    );
  }
  // marked essential, one that we do not know means "do not show me" (ISO/IEC 23008-12 §9.3.1)
  const unknown = primary.find(
    ({ box, essential }) => essential && !pictureProperties.has(box.type),
  );
  if (unknown) {
    return unsupportedFeature(
      `AVIF that needs the property "${unknown.box.type}" is not supported.`,
    );
  }

  const extentsBox = find(primary, 'ispe');
  const extents = extentsBox && readSpatialExtents(view, extentsBox);
  if (!extents) return broken('The AVIF does not state its size.');
  if (extents.width === 0 || extents.height === 0) {
    return broken('The AVIF has a width or height of zero.');
  }
  // A grid is not coded itself; its tiles are, all in the same way (ISO/IEC 23000-22 §7.3.11.4.1).
  const configurationBox = find((primaryType === 'grid' ? tile : primary) ?? [], 'av1C');
  const configuration = configurationBox && readAv1Configuration(view, configurationBox);
  if (!configuration) return broken('The AVIF does not state how it is coded.');

  const apertureBox = find(primary, 'clap');
  const aperture = apertureBox ? readCleanAperture(view, apertureBox, extents) : null;
  if (aperture && isUnreadable(aperture)) return aperture;
  const rotationBox = find(primary, 'irot');
  const mirrorBox = find(primary, 'imir');
  const profile = firstOf(primary, 'colr', (box) => profileRange(view, box));

  return {
    type: 'avif',
    width: extents.width,
    height: extents.height,
    bitDepth: configuration.bitDepth,
    hasAlpha: items.auxiliaries.some((properties) => {
      const kind = find(properties, 'auxC');
      return kind !== undefined && isAlphaType(view, kind);
    }),
    isGrey: configuration.chroma === '400',
    frames,
    orientation: 1,
    icc: profile ? [profile] : [],
    chroma: configuration.chroma,
    nclx: firstOf(primary, 'colr', (box): Nclx | undefined => readNclx(view, box)) ?? null,
    rotation: rotationBox ? readRotation(view, rotationBox) : 0,
    mirror: mirrorBox ? readMirror(view, mirrorBox) : 'none',
    cleanAperture: aperture,
    isGrid: primaryType === 'grid',
  };
}

function find(properties: readonly ItemProperty[], type: string): Box | undefined {
  return properties.find(({ box }) => box.type === type)?.box;
}

/** The first property of a type that `read` can make something of. */
function firstOf<Value>(
  properties: readonly ItemProperty[],
  type: string,
  read: (box: Box) => Value | undefined,
): Value | undefined {
  for (const { box } of properties) {
    const value = box.type === type ? read(box) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

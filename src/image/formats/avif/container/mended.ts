import { uint32 } from '../../../container/assemble.ts';
import { type Association, type AvifItems, type Item, isAlpha, type Property } from './items.ts';
import {
  readAv1Configuration,
  readCleanAperture,
  readSpatialExtents,
  type SpatialExtents,
} from './properties.ts';

/*
 * Repairs containers that browsers accept although they violate the standards, so that strict readers accept them, too.
 * Coded data is not changed. Sources: ISO/IEC 23008-12 §6.5, MIAF ISO/IEC 23000-22 §7.3,
 * AV1 Image File Format 1.1 §2 and §4.
 */

/** Properties that the standards require to be essential, because the picture would look different without them. */
const alwaysEssential: ReadonlySet<string> = new Set([
  ...['av1C', 'a1op', 'lsel', 'clap', 'irot', 'imir'],
]);

/** A property that must not be essential. */
const neverEssential = 'a1lx';

/**
 * Returns a function that repairs the properties of an item for strict readers: adds the sample depth (`pixi`, which
 * libheif omitted before version 1.12) and the size of alpha (`ispe`, which cavif omitted), removes a clean aperture
 * that cannot be applied, and marks properties as essential where required. Equal properties that are added to several
 * items are shared, with each other and with the file's, so that a thousand cells do not take a thousand boxes.
 */
export function mender(all: AvifItems): (item: Item) => readonly Association[] {
  const descriptions = new Map<string, Property>();
  const shared = (property: Property) => {
    const key = `${property.type} ${property.content.join()}`;
    const known = descriptions.get(key) ?? property;
    descriptions.set(key, known);
    return known;
  };
  for (const { associations } of all.items.values()) {
    for (const { property } of associations) if (canBeAdded(property)) shared(property);
  }
  const descriptive: Descriptive = (type, content) => ({
    property: shared({ type, content }),
    essential: false,
  });
  return (item) => mendedAssociations(item, all, descriptive);
}

/** Associates a descriptive property; equal contents share one property. */
type Descriptive = (type: string, content: Uint8Array) => Association;

/** Maximum size in bytes of an added property: that of `ispe`; a `pixi` with four channels has 9. */
const longestDescription = 12;

function canBeAdded({ type, content }: Property): boolean {
  return (type === 'ispe' || type === 'pixi') && content.length <= longestDescription;
}

function mendedAssociations(
  item: Item,
  all: AvifItems,
  descriptive: Descriptive,
): readonly Association[] {
  if (item.type !== 'av01' && item.type !== 'grid') return item.associations;
  const size = extentsOf(item);
  const list = item.associations
    .filter(({ property: { type, content } }) => type !== 'clap' || canBeCut(content, size))
    .map(({ property, essential }) => ({
      property,
      essential:
        property.type !== neverEssential && (essential || alwaysEssential.has(property.type)),
    }));
  const added: Association[] = [];
  if (!size) {
    const own = item.type === 'av01' && isAlpha(item) ? sizeOfPicture(item, all) : undefined;
    if (own) added.push(descriptive('ispe', uint32(0, own.width, own.height)));
  }
  if (!find(item, 'pixi')) {
    const depths = depthsOf(item, all);
    if (depths)
      added.push(descriptive('pixi', Uint8Array.of(0, 0, 0, 0, depths.length, ...depths)));
  }
  // Descriptive properties come first (ISO/IEC 23008-12 §6.5.1).
  return [...added, ...list];
}

function find({ associations }: Item, type: string): Uint8Array | undefined {
  return associations.find(({ property }) => property.type === type)?.property.content;
}

function extentsOf(item: Item): SpatialExtents | undefined {
  const content = find(item, 'ispe');
  return content && readSpatialExtents(content);
}

function canBeCut(content: Uint8Array, size: SpatialExtents | undefined): boolean {
  return size !== undefined && readCleanAperture(content, size) !== null;
}

/** The size of the picture that this alpha item belongs to. */
function sizeOfPicture({ id }: Item, { items, references }: AvifItems): SpatialExtents | undefined {
  const [picture] = references.find(({ type, from }) => type === 'auxl' && from === id)?.to ?? [];
  const item = items.get(picture ?? Number.NaN);
  return item && extentsOf(item);
}

/** Bits per sample of each channel, according to the codec configuration of the item or its first cell. */
function depthsOf(item: Item, { items, references }: AvifItems): readonly number[] | undefined {
  const [cell] = references.find(({ type, from }) => type === 'dimg' && from === item.id)?.to ?? [];
  const coded = item.type === 'grid' ? items.get(cell ?? Number.NaN) : item;
  const content = coded && find(coded, 'av1C');
  const configuration = content && readAv1Configuration(content);
  if (!configuration) return undefined;
  const { bitDepth, chroma } = configuration;
  return chroma === '400' || isAlpha(item) ? [bitDepth] : [bitDepth, bitDepth, bitDepth];
}

import { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable, unsupportedFeature } from '../../refusal.ts';
import { type Box, findBoxes, openFullBox, visitBoxes } from './boxes.ts';

export interface ItemProperty {
  readonly box: Box;
  readonly essential: boolean;
}

export interface AvifItems {
  /** Four characters: `av01`, `grid` or another derivation. */
  readonly primaryType: string;
  /** Properties in the order of their association, which is the order of application. */
  readonly primary: readonly ItemProperty[];
  /** Those of the first tile when the primary item is derived from others; otherwise null. */
  readonly tile: readonly ItemProperty[] | null;
  /** Those of each auxiliary item of the primary item or of its first tile. */
  readonly auxiliaries: readonly (readonly ItemProperty[])[];
}

interface Association {
  /** From 1, in the order of `ipco`. */
  readonly index: number;
  readonly essential: boolean;
}

const damaged = 'The AVIF item tables are damaged.';

/** Alpha, depth, a gain map: a picture has a handful, and each costs a place in the tables below. */
const maximumAuxiliaries = 64;

/**
 * Looks up the primary item, its first tile and its auxiliary items in a `meta` box. Every table is
 * walked once or twice and only the rows of these items are kept, so a table of a million items
 * costs neither memory nor more than linear time.
 * Source: ISO/IEC 14496-12 §8.11, ISO/IEC 23008-12 §9.3 and §6.4.
 */
export function readAvifItems(view: DataView, meta: Box): AvifItems | Unreadable {
  const tables = findBoxes(view, meta.start + 4, meta.end, ['pitm', 'iinf', 'iprp', 'iref']);
  if (!tables) return broken(damaged);
  const { pitm, iinf, iprp, iref } = tables;
  if (!pitm || !iinf || !iprp) return broken('The AVIF has no primary picture.');

  const { cursor, version } = openFullBox(view, pitm);
  const primaryId = version === 0 ? cursor.uint16() : cursor.uint32();
  if (cursor.overrun) return broken(damaged);
  const primaryType = itemType(view, iinf, primaryId);
  if (primaryType === undefined) return broken('The AVIF has no primary picture.');

  const tileId = iref ? firstTile(view, iref, primaryId) : undefined;
  const auxiliaryIds = iref
    ? auxiliariesOf(view, iref, [primaryId, tileId ?? primaryId])
    : new Set<number>();
  if (auxiliaryIds.size > maximumAuxiliaries) {
    return unsupportedFeature('AVIF with so many auxiliary pictures is not supported.');
  }

  const wantedIds = new Set([primaryId, tileId ?? primaryId, ...auxiliaryIds]);
  const properties = readProperties(view, iprp, wantedIds);
  if (!properties) return broken(damaged);
  const propertiesOf = (id: number): ItemProperty[] => properties.get(id) ?? [];
  return {
    primaryType,
    primary: propertiesOf(primaryId),
    tile: tileId === undefined ? null : propertiesOf(tileId),
    auxiliaries: [...auxiliaryIds].map(propertiesOf),
  };
}

/** ISO/IEC 14496-12 §8.11.6. Entries before version 2 have no type and are no pictures. */
function itemType(view: DataView, iinf: Box, wantedId: number): string | undefined {
  const { cursor, version } = openFullBox(view, iinf);
  cursor.skip(version === 0 ? 2 : 4);
  let type: string | undefined;
  visitBoxes(view, cursor.position, iinf.end, (box) => {
    if (box.type !== 'infe' || type !== undefined) return;
    const entry = openFullBox(view, box);
    if (entry.version < 2) return;
    const id = entry.version === 2 ? entry.cursor.uint16() : entry.cursor.uint32();
    entry.cursor.skip(2);
    const found = entry.cursor.text(4);
    if (id === wantedId && !entry.cursor.overrun) type = found;
  });
  return type;
}

/** Every (from, to) pair of the references of one type, in file order (ISO/IEC 14496-12 §8.11.12). */
function visitReferences(
  view: DataView,
  iref: Box,
  type: string,
  visit: (from: number, to: number) => void,
): void {
  const { cursor: list, version } = openFullBox(view, iref);
  visitBoxes(view, list.position, iref.end, (box) => {
    if (box.type !== type) return;
    const cursor = new ByteCursor(view, box.start, box.end);
    const readId = () => (version === 0 ? cursor.uint16() : cursor.uint32());
    const from = readId();
    const count = cursor.uint16();
    for (let i = 0; i < count; i++) {
      const to = readId();
      if (cursor.overrun) return;
      visit(from, to);
    }
  });
}

/** What the primary item is derived from, its first input (ISO/IEC 23008-12 §6.4.7). */
function firstTile(view: DataView, iref: Box, primaryId: number): number | undefined {
  let tileId: number | undefined;
  visitReferences(view, iref, 'dimg', (from, to) => {
    if (from === primaryId) tileId ??= to;
  });
  return tileId;
}

/** Alpha belongs to the whole picture or to each of its tiles; either way an `auxl` says so. */
function auxiliariesOf(view: DataView, iref: Box, pictureIds: readonly number[]): Set<number> {
  const ids = new Set<number>();
  visitReferences(view, iref, 'auxl', (from, to) => {
    if (pictureIds.includes(to) && ids.size <= maximumAuxiliaries) ids.add(from);
  });
  return ids;
}

/** Undefined when the tables are damaged (ISO/IEC 14496-12 §8.11.14). */
function readProperties(
  view: DataView,
  iprp: Box,
  wantedIds: ReadonlySet<number>,
): Map<number, ItemProperty[]> | undefined {
  const associations = new Map<number, Association[]>();
  let isWhole = true;
  let ipco: Box | undefined;
  const fits = visitBoxes(view, iprp.start, iprp.end, (box) => {
    if (box.type === 'ipco') ipco ??= box;
    if (box.type === 'ipma') isWhole &&= readAssociations(view, box, wantedIds, associations);
  });
  if (!fits || !isWhole || !ipco) return undefined;

  const wantedBoxes = new Map<number, Box | undefined>();
  for (const list of associations.values()) {
    for (const { index } of list) wantedBoxes.set(index, undefined);
  }
  let index = 0;
  const propertiesFit = visitBoxes(view, ipco.start, ipco.end, (box) => {
    index++;
    if (wantedBoxes.has(index)) wantedBoxes.set(index, box);
  });
  if (!propertiesFit) return undefined;

  const properties = new Map<number, ItemProperty[]>();
  for (const [id, list] of associations) {
    const resolved: ItemProperty[] = [];
    for (const association of list) {
      const box = wantedBoxes.get(association.index);
      // Index 0 says that there is no property; any other must exist.
      if (box) resolved.push({ box, essential: association.essential });
      else if (association.index !== 0) return undefined;
    }
    properties.set(id, resolved);
  }
  return properties;
}

/** Adds the rows of the wanted items; false when the table is cut short. */
function readAssociations(
  view: DataView,
  ipma: Box,
  wantedIds: ReadonlySet<number>,
  associations: Map<number, Association[]>,
): boolean {
  const { cursor, version, flags } = openFullBox(view, ipma);
  const indexBits = (flags & 1) !== 0 ? 15 : 7;
  const items = cursor.uint32();
  for (let i = 0; i < items && !cursor.overrun; i++) {
    const id = version === 0 ? cursor.uint16() : cursor.uint32();
    const count = cursor.uint8();
    const isWanted = wantedIds.has(id) && !associations.has(id);
    const list: Association[] = [];
    for (let j = 0; j < count && !cursor.overrun; j++) {
      const entry = indexBits === 15 ? cursor.uint16() : cursor.uint8();
      if (!isWanted) continue;
      list.push({ index: entry & ((1 << indexBits) - 1), essential: entry >> indexBits === 1 });
    }
    if (isWanted) associations.set(id, list);
  }
  return !cursor.overrun;
}

/**
 * Most rows and references of all item tables together. libavif goes through the items that it has
 * for each that a table speaks of, so a megabyte of them would take minutes; these take a tenth of a
 * second. A picture of five megapixels in the smallest cells (ISO/IEC 23000-22 §7.3.11.4.2), each
 * with alpha, has three quarters of this.
 */
export const maximumMentions = 16_384;

/** Whether a file does in its item tables, its own and those of each track of its movie. */
export function speaksOfTooManyItems(view: DataView, meta: Box, moov: Box | undefined): boolean {
  let mentions = mentionsIn(view, meta);
  if (moov) {
    visitBoxes(view, moov.start, moov.end, (trak) => {
      if (trak.type !== 'trak') return;
      visitBoxes(view, trak.start, trak.end, (box) => {
        if (box.type === 'meta') mentions += mentionsIn(view, box);
      });
    });
  }
  return mentions > maximumMentions;
}

/** Never fewer than a parser can come across in what the tables hold. */
function mentionsIn(view: DataView, meta: Box): number {
  let mentions = 0;
  visitBoxes(view, meta.start + 4, meta.end, (box) => {
    switch (box.type) {
      case 'iinf':
        mentions += entries(view, box);
        break;
      case 'iloc':
        mentions += locations(view, box);
        break;
      case 'iref':
        mentions += references(view, box);
        break;
      case 'iprp':
        visitBoxes(view, box.start, box.end, (inner) => {
          if (inner.type === 'ipma') mentions += associations(view, inner);
        });
        break;
    }
  });
  return mentions;
}

/** ISO/IEC 14496-12 §8.11.6. */
function entries(view: DataView, iinf: Box): number {
  const { cursor, version } = openFullBox(view, iinf);
  cursor.skip(version === 0 ? 2 : 4);
  let count = 0;
  visitBoxes(view, cursor.position, iinf.end, () => {
    count += 1;
  });
  return count;
}

/** ISO/IEC 14496-12 §8.11.3. */
function locations(view: DataView, iloc: Box): number {
  const { cursor, version } = openFullBox(view, iloc);
  const baseBytes = (cursor.uint16() >> 4) & 15;
  const isWide = version >= 2;
  const count = isWide ? cursor.uint32() : cursor.uint16();
  return bounded(count, cursor, (isWide ? 4 : 2) + (version > 0 ? 2 : 0) + 2 + baseBytes + 2);
}

/** ISO/IEC 14496-12 §8.11.12. */
function references(view: DataView, iref: Box): number {
  const { cursor: list, version } = openFullBox(view, iref);
  const idBytes = version === 0 ? 2 : 4;
  let count = 0;
  visitBoxes(view, list.position, iref.end, ({ start, end }) => {
    const cursor = new ByteCursor(view, start, end);
    cursor.skip(idBytes);
    count += 1 + bounded(cursor.uint16(), cursor, idBytes);
  });
  return count;
}

/** ISO/IEC 14496-12 §8.11.14. */
function associations(view: DataView, ipma: Box): number {
  const { cursor, version } = openFullBox(view, ipma);
  return bounded(cursor.uint32(), cursor, (version === 0 ? 2 : 4) + 1);
}

/** A count that a table states, as far as there is room for so many rows. */
function bounded(count: number, cursor: ByteCursor, rowBytes: number): number {
  return Math.min(count, Math.floor(cursor.remaining / rowBytes));
}

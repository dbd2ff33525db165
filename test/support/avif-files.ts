import sharp from 'sharp';
import {
  type Item,
  type Property,
  readAvifItems,
} from '../../src/image/formats/avif/container/items.ts';
import {
  type PlacedItem,
  writeAvif,
  writeItemEntry,
} from '../../src/image/formats/avif/container/writer.ts';

/** An RGBA picture of any size, as a function of position. */
export type Paint = (x: number, y: number) => readonly [number, number, number, number];

export interface Painted {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export function painted(width: number, height: number, paint: Paint): Painted {
  const data = new Uint8Array(4 * width * height);
  for (let y = 0, i = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, i += 4) data.set(paint(x, y), i);
  }
  return { width, height, data };
}

export interface AvifChoice {
  readonly chroma?: '4:2:0' | '4:4:4';
  readonly bitDepth?: 8 | 10 | 12;
  readonly lossless?: boolean;
  readonly hasAlpha?: boolean;
}

/** An AVIF with a single picture, by a different encoder than the service's. */
export async function avifOf(
  { width, height, data }: Painted,
  { chroma = '4:4:4', bitDepth = 8, lossless = false, hasAlpha = false }: AvifChoice = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  const shown = hasAlpha ? picture : picture.removeAlpha();
  const coded = shown.avif({
    ...(lossless ? { lossless } : { quality: 90 }),
    effort: 0,
    bitdepth: bitDepth,
    chromaSubsampling: chroma,
  });
  return Uint8Array.from(await coded.toBuffer());
}

export interface GridChoice extends AvifChoice {
  readonly columns: number;
  readonly rows: number;
  /** Width of each cell in pixels. */
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** Alpha belongs to each cell instead of a separate grid. */
  readonly alphaByCell?: boolean;
}

/** A picture that is coded as a grid of cells. */
export async function gridAvif(
  picture: Painted,
  { columns, rows, cellWidth, cellHeight, alphaByCell = false, ...choice }: GridChoice,
): Promise<Uint8Array<ArrayBuffer>> {
  const cells = await Promise.all(
    Array.from({ length: columns * rows }, (_, i) =>
      avifOf(cellOf(picture, { i, columns, cellWidth, cellHeight }), choice),
    ),
  );
  return joinedCells(cells, { ...picture, columns, rows, alphaByCell });
}

function cellOf(
  { width, height, data }: Painted,
  {
    i,
    columns,
    cellWidth,
    cellHeight,
  }: { i: number; columns: number; cellWidth: number; cellHeight: number },
): Painted {
  const left = (i % columns) * cellWidth;
  const top = Math.floor(i / columns) * cellHeight;
  return painted(cellWidth, cellHeight, (x, y) => {
    const at = 4 * (Math.min(top + y, height - 1) * width + Math.min(left + x, width - 1));
    return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 0];
  });
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly columns: number;
  readonly rows: number;
  readonly alphaByCell: boolean;
}

/** Item 1 is the grid, followed by its cells and the alpha of each cell; the last item is a grid of the alpha items. */
function joinedCells(cells: readonly Uint8Array[], layout: Layout): Uint8Array<ArrayBuffer> {
  const { width, height, columns, rows, alphaByCell } = layout;
  const count = cells.length;
  const parts = cells.map(partsOf);
  const [first] = parts;
  if (!first) throw new RangeError('a grid has cells');
  const alphaGridId = 2 * count + 2;
  const hasGridOfAlpha = first.alpha !== undefined && !alphaByCell;
  const derivation = Uint8Array.of(0, 1, rows - 1, columns - 1, ...be32(width), ...be32(height));
  const size: Property = {
    type: 'ispe',
    content: Uint8Array.of(0, 0, 0, 0, ...be32(width), ...be32(height)),
  };
  const item = (id: number, type: string, bytes: Uint8Array, properties: readonly Property[]) => ({
    id,
    entry: writeItemEntry({ id, type, isHidden: id !== 1 }),
    data: { from: 'memory', bytes } as const,
    associations: properties.map((property) => ({ property, essential: property.type === 'av1C' })),
  });
  const propertiesOf = ({ associations }: Item) => associations.map(({ property }) => property);
  const shared = (part: Item) => propertiesOf(part).filter(({ type }) => shares.has(type));
  const items: PlacedItem[] = [item(1, 'grid', derivation, [size, ...shared(first.color)])];
  const references: { type: string; from: number; to: number[] }[] = [
    { type: 'dimg', from: 1, to: ids(2, count) },
  ];
  for (const [i, { color, alpha, file }] of parts.entries()) {
    items.push(item(i + 2, 'av01', dataOf(color, file), propertiesOf(color)));
    if (!alpha) continue;
    items.push(item(i + 2 + count, 'av01', dataOf(alpha, file), propertiesOf(alpha)));
    if (alphaByCell) references.push({ type: 'auxl', from: i + 2 + count, to: [i + 2] });
  }
  if (hasGridOfAlpha && first.alpha) {
    items.push(item(alphaGridId, 'grid', derivation, [size, ...shared(first.alpha)]));
    references.push({ type: 'auxl', from: alphaGridId, to: [1] });
    references.push({ type: 'dimg', from: alphaGridId, to: ids(2 + count, count) });
  }
  return writeAvif(new Uint8Array(), {
    brands: ['avif', 'mif1', 'miaf'],
    handler: first.handler,
    primaryId: 1,
    items,
    references,
  });
}

/** Properties that a grid shares with its cells. */
const shares: ReadonlySet<string> = new Set(['pixi', 'colr', 'auxC']);

function partsOf(file: Uint8Array) {
  const all = readAvifItems(file);
  const color = all?.items.get(all.primaryId);
  if (!all || !color) throw new TypeError('a cell is an AVIF');
  const alphaId = all.references.find(
    ({ type, to }) => type === 'auxl' && to[0] === color.id,
  )?.from;
  const alpha = alphaId === undefined ? undefined : all.items.get(alphaId);
  return { handler: all.handler, color, alpha, file };
}

function dataOf({ extents }: Item, file: Uint8Array): Uint8Array {
  const ranges = extents ?? [];
  return Uint8Array.from(
    ranges.flatMap(({ offset, length }) => [...file.subarray(offset, offset + length)]),
  );
}

function ids(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

function be32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

/** A file in which boxes of this type have another type, so that no reader recognizes them. */
export function withoutBoxes(file: Uint8Array, type: string): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(file).toString('latin1').replaceAll(type, 'none');
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}

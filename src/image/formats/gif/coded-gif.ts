import type { Disposal } from '../../animation/timeline.ts';
import { ascii } from '../../container/assemble.ts';
import type { Region, Size } from '../../pixels/raster.ts';
import type { Appearance } from '../inspection.ts';
import { extensionLabel, introducer } from './blocks.ts';
import type { CodedFrame } from './coded-frame.ts';
import {
  type FrameTable,
  GlobalTable,
  localTableBytes,
  tableBytes,
  tableLength,
} from './color-tables.ts';
import { writeComments, writeLoop, writeXmp } from './rewrap.ts';

/** The parameters of a file's header. */
export interface GifHead extends Size {
  /** The colors of the global table, and its number of entries, a power of two; 0 if there is no global table. */
  readonly colors: readonly number[];
  readonly tableLength: number;
  /** How often the animation plays; 0: forever. */
  readonly plays: number;
}

/** Returns everything before the first frame. */
export function gifHead(
  { width, height, colors, tableLength: length, plays }: GifHead,
  { metadata, commentsOf }: Pick<Appearance, 'metadata' | 'commentsOf'>,
): Uint8Array[] {
  const screen = new Uint8Array(7);
  const view = new DataView(screen.buffer);
  view.setUint16(0, width, true);
  view.setUint16(2, height, true);
  const size = length === 0 ? 0 : Math.log2(length) - 1;
  screen[4] = length === 0 ? 0 : 0x80 | 0x70 | size;
  const parts = [ascii('GIF89a'), screen, tableBytes(colors, length)];
  // Blocks are copied because the memory of the source file may be reused.
  const sink = { write: (bytes: Uint8Array) => void parts.push(bytes.slice()) };
  writeLoop(sink, plays === 1 ? null : Math.max(0, plays - 1));
  if (commentsOf) writeComments(sink, commentsOf);
  writeXmp(sink, metadata.xmp);
  return parts;
}

export const gifTrailer = Uint8Array.of(introducer.trailer);

/** Placement, delay and disposal of a frame. */
export interface FrameDisplay {
  readonly region: Region;
  /** In hundredths of a second. */
  readonly delay: number;
  readonly disposal: Disposal;
}

const disposalCode: Readonly<Record<Disposal, number>> = { keep: 1, background: 2, previous: 3 };

/**
 * Returns what precedes the data of a frame: a graphic control extension if needed, the image descriptor and the local
 * table.
 */
export function frameHead(
  { region, delay, disposal }: FrameDisplay,
  table: FrameTable,
): Uint8Array {
  const { transparent, colors, isLocal } = table;
  const isControlled = transparent >= 0 || delay > 0 || disposal !== 'keep';
  const controlBytes = isControlled ? 8 : 0;
  const bytes = new Uint8Array(controlBytes + 10 + localTableBytes(table));
  const view = new DataView(bytes.buffer);
  if (isControlled) {
    const flags = (disposalCode[disposal] << 2) | (transparent >= 0 ? 1 : 0);
    bytes.set([introducer.extension, extensionLabel.control, 4, flags]);
    view.setUint16(4, delay, true);
    bytes[6] = Math.max(0, transparent);
  }
  bytes[controlBytes] = introducer.image;
  for (const [i, value] of [region.left, region.top, region.width, region.height].entries()) {
    view.setUint16(controlBytes + 1 + 2 * i, value, true);
  }
  if (!isLocal) return bytes;
  const length = tableLength(colors.length);
  bytes[controlBytes + 9] = 0x80 | (Math.log2(length) - 1);
  bytes.set(tableBytes(colors, length), controlBytes + 10);
  return bytes;
}

/** Returns the parts of a file with a single picture, encoded with a table that is not local. */
export function stillGif(
  { width, height }: Size,
  region: Region,
  { table, data }: CodedFrame,
  appearance: Pick<Appearance, 'metadata' | 'commentsOf'>,
): Uint8Array[] {
  const global = new GlobalTable();
  global.take(table);
  const head = gifHead(
    { width, height, colors: global.colors, tableLength: global.length, plays: 1 },
    appearance,
  );
  return [...head, frameHead({ region, delay: 0, disposal: 'keep' }, table), data, gifTrailer];
}

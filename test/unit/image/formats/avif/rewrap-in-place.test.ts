import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readAvifItems } from '../../../../../src/image/formats/avif/container/items.ts';
import {
  writeAvif,
  writeItemEntry,
} from '../../../../../src/image/formats/avif/container/writer.ts';
import { decoded } from '../../../../support/pictures.ts';
import { blocks } from '../blocks.ts';
import { be16, be32, bytes } from '../byte-writing.ts';
import {
  height,
  metadataKinds,
  metadataOf,
  picture,
  profileOf,
  rewrapped,
  width,
  withMetadata,
} from '../pictures.ts';
import { asSequence, box, codedPicture } from './sequences.ts';

const size = { width, height };
const find = (file: Uint8Array, text: string | Uint8Array) => Buffer.from(file).indexOf(text);
const avif = (negative = false) => picture().negate(negative).avif({ effort: 0 }).toBuffer();
const secret = 'a secret';
const extension = box('uuid', '0123456789abcdef', secret);
const trackMetadata = box(
  'meta',
  ...[be32(0), box('hdlr', be32(0), be32(0), 'mdta', new Uint8Array(13))],
  box('xml ', be32(0), secret),
);
const notes = {
  movie: bytes(box('udta', box('name', secret)), extension),
  track: bytes(box('udta', secret), trackMetadata, box('skip', secret)),
  media: box('free', secret),
};

/** Types of the boxes at the outermost level. */
function boxTypes(file: Uint8Array): string[] {
  const types: string[] = [];
  const buffer = Buffer.from(file);
  for (let at = 0; at < file.length; at += buffer.readUInt32BE(at)) {
    types.push(buffer.toString('latin1', at + 4, at + 8));
  }
  return types;
}

/** A picture with a second one as its thumbnail. */
async function withThumbnail(): Promise<{ file: Uint8Array; thumbnail: Uint8Array }> {
  const file = rewrapped(await avif());
  const thumbnail = codedPicture(await avif(true)).data;
  const tables = readAvifItems(file);
  const item = tables?.items.get(tables.primaryId);
  if (!tables || !item?.extents) throw new Error('not the file that was asked for');
  const { primaryId: id, handler } = tables;
  const { entry, extents, associations } = item;
  const thumbnailEntry = writeItemEntry({ id: 9, type: 'av01', isHidden: false });
  const description = {
    property: { type: 'udes', content: bytes(be32(0), secret) },
    essential: false,
  };
  const written = writeAvif(file, {
    brands: ['avif', 'avif', 'mif1', 'miaf'],
    handler,
    primaryId: id,
    items: [
      { id, entry, data: { from: 'file', extents }, associations: [...associations, description] },
      { id: 9, entry: thumbnailEntry, data: { from: 'memory', bytes: thumbnail }, associations },
    ],
    references: [{ type: 'thmb', from: 9, to: [id] }],
  });
  return { file: written, thumbnail };
}

describe('an image sequence', () => {
  it('keeps length, frames and offsets, and has lost all metadata', async () => {
    const still = await withMetadata(picture()).avif({ effort: 0 }).toBuffer();
    const frames = [codedPicture(await avif(true)).data, codedPicture(still).data];
    const movie = asSequence(still, frames, size, notes);
    const file = bytes(movie, extension, box('free', secret), 'trailing garbage');
    const result = rewrapped(file, { icc: profileOf(file) });

    expect(await metadataKinds(file)).toEqual(['exif', 'icc', 'xmp']);
    expect(await metadataKinds(result)).toEqual(['icc']);
    expect(result.length).toBe(file.length);
    for (const trace of [secret, 'Somebody', 'garbage', 'Exif', 'rdf+xml', 'cdsc', '0123456789']) {
      expect([trace, find(file, trace) > 0, find(result, trace)]).toEqual([trace, true, -1]);
    }
    expect(find(result, frames[0] ?? '')).toBe(find(file, frames[0] ?? ''));
    expect(find(result, 'stbl')).toBe(find(file, 'stbl'));
    expect(find(result, Uint8Array.from(be32(0xe0000000)))).toBe(-1);
    expect(await decoded(result)).toEqual(await decoded(file));
    expect(boxTypes(result)).toEqual([
      'ftyp',
      'meta',
      'mdat',
      'moov',
      'mdat',
      'free',
      'free',
      'free',
    ]);
    expect(rewrapped(result, { icc: profileOf(file) })).toEqual(result);
  });

  it('keeps EXIF and XMP that are wanted as they are, and takes no others', async () => {
    const still = rewrapped(await avif(), blocks);
    const file = asSequence(still, [codedPicture(still).data], size, notes);
    const { exif, xmp } = blocks;
    expect(metadataOf(rewrapped(file, { exif }))).toEqual({ exif, xmp: null, iptc: null });
    expect(metadataOf(rewrapped(file, { xmp }))).toEqual({ exif: null, xmp, iptc: null });
    expect(metadataOf(rewrapped(file, { xmp: bytes('another'), exif: bytes('MM\0*') }))).toEqual({
      exif: null,
      xmp: null,
      iptc: null,
    });
    expect((await sharp(rewrapped(file, { exif })).metadata()).exif).toEqual(Buffer.from(exif));
  });

  it('loses a thumbnail unless that may be a frame', async () => {
    const { file, thumbnail } = await withThumbnail();
    const frames = [codedPicture(file).data];
    const apart = asSequence(file, frames, size);
    const shared = asSequence(file, [thumbnail], size, {}, find(file, thumbnail));
    const isIn = (sequence: Uint8Array) => find(sequence.subarray(0, file.length), thumbnail) > 0;
    const references = (sequence: Uint8Array) => readAvifItems(sequence)?.references.length;
    expect([isIn(apart), isIn(rewrapped(apart)), references(rewrapped(apart))]).toEqual([
      true,
      false,
      0,
    ]);
    expect([isIn(rewrapped(shared)), references(rewrapped(shared))]).toEqual([true, 1]);
    expect(await decoded(rewrapped(apart))).toEqual(await decoded(apart));
  });

  it('loses descriptions among its properties, but not their places', async () => {
    const { file } = await withThumbnail();
    const sequence = asSequence(file, [codedPicture(file).data], size);
    const result = rewrapped(sequence);
    expect([find(sequence, secret) > 0, find(result, secret)]).toEqual([true, -1]);
    const types = readAvifItems(result)
      ?.items.get(1)
      ?.associations.map(({ property }) => property.type);
    expect(types?.at(-1)).toBe('free');
    expect(await decoded(result)).toEqual(await decoded(sequence));
  });

  it('is the same file when nothing was to be removed', async () => {
    const still = rewrapped(await avif());
    const clean = rewrapped(asSequence(still, [codedPicture(still).data], size));
    expect(rewrapped(clean)).toEqual(clean);
    expect(clean.subarray(0, 16)).toEqual(still.subarray(0, 16));
  });
});

describe('a picture that cannot be rewritten', () => {
  /** Says that its first item is protected, which may mean anything. */
  const asProtected = (file: Uint8Array) => {
    const copy = bytes(file);
    copy[find(copy, 'infe') + 4 + 4 + 2 + 1] = 1;
    return copy;
  };

  it('loses its metadata where they stand', async () => {
    const file = asProtected(rewrapped(await avif(), blocks));
    const result = rewrapped(file);
    expect(metadataOf(file)).toEqual({ ...blocks, iptc: null });
    expect(metadataOf(result)).toEqual({ exif: null, xmp: null, iptc: null });
    expect(result.length).toBe(file.length);
    expect(find(result, blocks.xmp)).toBe(-1);
    expect(codedPicture(asUnprotected(result)).data).toEqual(
      codedPicture(asUnprotected(file)).data,
    );
  });

  it('keeps its item table when that would move data, but not what the metadata say', async () => {
    const { exif } = blocks;
    const file = asProtected(rewrapped(await avif(), { exif }));
    // The second item, the EXIF one, stays in its place; a third lies in the table itself.
    const location = find(file, 'iloc') + 4 + 4 + 2;
    const inTable = bytes(file);
    inTable.set(be16(1), location + 2 + 4);
    inTable.set(be32(60), location + 2 + 6);
    const result = rewrapped(inTable);
    expect(find(result, exif)).toBe(-1);
    expect(find(result, 'Exif')).toBe(find(file, 'Exif'));
  });
});

function asUnprotected(file: Uint8Array): Uint8Array {
  const copy = bytes(file);
  copy[find(copy, 'infe') + 4 + 4 + 2 + 1] = 0;
  return copy;
}

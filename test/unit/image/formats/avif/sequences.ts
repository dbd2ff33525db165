import { readAvifItems } from '../../../../../src/image/formats/avif/container/items.ts';
import { be16, be32, bytes, type Part } from '../byte-writing.ts';

export const box = (type: string, ...content: Part[]) => {
  const data = bytes(...content);
  return bytes(be32(data.length + 8), type, data);
};
const fullBox = (type: string, ...content: Part[]) => box(type, be32(0), ...content);

/** Unity, as `mvhd` and `tkhd` have it. */
const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].flatMap(be32);

/** What a file says of its primary picture that a track of it has to say too. */
export function codedPicture(file: Uint8Array): { data: Uint8Array; configuration: Uint8Array } {
  const tables = readAvifItems(file);
  const item = tables?.items.get(tables.primaryId);
  const [extent] = item?.extents ?? [];
  const configuration = item?.associations.find(({ property }) => property.type === 'av1C');
  if (!extent || !configuration) throw new Error('not a picture of one piece');
  const data = file.slice(extent.offset, extent.offset + extent.length);
  return { data, configuration: configuration.property.content };
}

/** Boxes of metadata, to be put into the places that have room for them. */
interface Notes {
  readonly movie?: Uint8Array;
  readonly track?: Uint8Array;
  readonly media?: Uint8Array;
}

/** Seconds since 1904. */
const date = be32(0xe0000000);

/**
 * An AVIF as the beginning of an image sequence: behind it come a movie of one track and the frames,
 * in one chunk. Its item table and all offsets in it stay as they are. `offset` says where the track
 * is to find its frames instead.
 */
export function asSequence(
  still: Uint8Array,
  frames: readonly Uint8Array[],
  size: { readonly width: number; readonly height: number },
  { movie = bytes(), track = bytes(), media = bytes() }: Notes = {},
  offset?: number,
): Uint8Array {
  const { configuration } = codedPicture(still);
  const { width, height } = size;
  const sampleEntry = box(
    'av01',
    ...[new Uint8Array(6), be16(1), new Uint8Array(16), be16(width), be16(height)],
    ...[be32(0x480000), be32(0x480000), be32(0), be16(1), new Uint8Array(32), be16(24), be16(-1)],
    box('av1C', configuration),
  );
  const movieBox = (start: number) => {
    const samples = box(
      'stbl',
      fullBox('stsd', be32(1), sampleEntry),
      fullBox('stts', be32(1), be32(frames.length), be32(1)),
      fullBox('stsc', be32(1), be32(1), be32(frames.length), be32(1)),
      fullBox('stsz', be32(0), be32(frames.length), ...frames.map(({ length }) => be32(length))),
      fullBox('stco', be32(1), be32(start)),
    );
    const references = fullBox('dref', be32(1), bytes(be32(12), 'url ', be32(1)));
    const information = box(
      'minf',
      fullBox('vmhd', new Uint8Array(8)),
      box('dinf', references),
      samples,
    );
    const header = fullBox('mdhd', date, date, be32(10), be32(frames.length), be32(0x55c40000));
    const handler = fullBox('hdlr', be32(0), 'pict', new Uint8Array(13));
    const trackHeader = fullBox(
      'tkhd',
      ...[date, date, be32(1), be32(0), be32(frames.length), new Uint8Array(16)],
      ...[matrix, be16(width), be16(0), be16(height), be16(0)],
    );
    const movieHeader = fullBox(
      'mvhd',
      ...[date, date, be32(10), be32(frames.length), be32(0x10000), be16(0x100)],
      ...[new Uint8Array(10), matrix, new Uint8Array(24), be32(2)],
    );
    const mdia = box('mdia', header, handler, media, information);
    return box('moov', movieHeader, box('trak', trackHeader, mdia, track), movie);
  };
  const start = still.length + movieBox(0).length + 8;
  const sequence = bytes(still, movieBox(offset ?? start), box('mdat', ...frames));
  // The first of the compatible brands: libvips does not look into files whose major brand it is.
  sequence.set(bytes('avis'), 16);
  return sequence;
}

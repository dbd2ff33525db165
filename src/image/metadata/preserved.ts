import { type ExifBlock, exifTag, readExifBlock } from './exif-block.ts';
import {
  creationValues,
  type ExifValue,
  locationValues,
  maxStatementBytes,
  textValue,
  textValues,
  writtenExif,
} from './exif-selection.ts';
import { iptcStatements } from './iptc.ts';
import { type Metadata, type RightsTexts, type Shown, textOf } from './metadata.ts';
import { named, namespace, type Property, propertyText } from './xmp-packet.ts';
import {
  creationPrefix,
  locationPrefix,
  rightsPrefix,
  selectedXmp,
  xmpStatements,
} from './xmp-selection.ts';

/** A part of a source's metadata: who owns and made the picture, when it was taken and digitized, or where. */
export type MetadataPart = 'copyright' | 'creation' | 'location';

/**
 * These parts of a source's metadata and nothing else, in as few bytes as the container allows. Whatever form of a
 * notice a source has, it becomes one: several that differ are joined. What XMP says of rights beside (terms, a page, a
 * licence) stays XMP, since no other form has a place for it. Dates and places stay in the form that they have, and where
 * both EXIF and XMP say them, in EXIF. Damaged blocks say nothing.
 */
export function preservedMetadata(
  source: Metadata,
  parts: ReadonlySet<MetadataPart>,
  { orientation, noticesIn }: Shown,
): Metadata {
  const block = source.exif && noticesIn !== 'xmp' ? readExifBlock(source.exif) : undefined;
  const rights = parts.has('copyright') ? rightsOf(source) : noRights;
  const creation = block && parts.has('creation') ? creationValues(block) : [];
  const location = block && parts.has('location') ? locationValues(block) : [];
  const first = noticesIn === 'exif' ? rightsValues(rights, block) : [];
  const hasTexts = noticesIn === 'text' && (rights.notice ?? rights.author) !== null;
  const statements = {
    creators: rights.author === null ? [] : [rights.author],
    notice: rights.notice,
    credit: null,
  };
  const isInXmp = noticesIn === 'xmp';
  const prefixOf = (property: Property) =>
    (parts.has('copyright') && (isInXmp || !isSaidOtherwise(property, rights))
      ? rightsPrefix(property)
      : undefined) ??
    (parts.has('creation') && creation.length === 0 ? creationPrefix(property) : undefined) ??
    (parts.has('location') && location.length === 0 ? locationPrefix(property) : undefined);
  return {
    exif: writtenExif(
      { first, exif: creation, gps: location },
      orientation,
      block?.endianness ?? 'big',
    ),
    xmp: selectedXmp(source.xmp, prefixOf, isInXmp ? statements : null),
    iptc: null,
    ...(hasTexts && { texts: rights }),
  };
}

const noRights: RightsTexts = { notice: null, author: null };

/** What goes without saying in XMP where a notice and who made the picture stand elsewhere. */
function isSaidOtherwise(property: Property, { notice }: RightsTexts): boolean {
  const isStatement = ['rights', 'creator'].some((name) => named(property, namespace.dc, name));
  const isMark = named(property, namespace.xmpRights, 'Marked') && notice !== null;
  return isStatement || (isMark && propertyText(property).trim().toLowerCase() === 'true');
}

/** Who owns and who made a picture, by all that its file says. */
function rightsOf({ exif, xmp, iptc, texts }: Metadata): RightsTexts {
  const block = exif ? readExifBlock(exif) : undefined;
  const inXmp = xmp ? xmpStatements(xmp) : null;
  const inIptc = iptc ? iptcStatements(iptc) : null;
  return {
    notice: joined([
      ...textsIn(block, exifTag.copyright),
      inXmp?.notice,
      inIptc?.notice,
      texts?.notice,
    ]),
    author: joined([
      ...textsIn(block, exifTag.artist),
      ...(inXmp?.creators ?? []),
      ...(inIptc?.creators ?? []),
      texts?.author,
    ]),
  };
}

/** A Copyright has two texts, of the photographer and the editor, with a NUL between them (CIPA DC-008 §4.6.4). */
function textsIn(block: ExifBlock | undefined, tag: number): readonly string[] {
  const [value] = block ? textValues(block, block.firstIfd, [tag]) : [];
  if (!value) return [];
  const ends = value.bytes.indexOf(0);
  return [value.bytes.subarray(0, ends), value.bytes.subarray(ends)].map((bytes) => textOf(bytes));
}

const separator = '; ';

/** Statements that are compared with each other: no picture has as many, unless it was made to. */
const maxStatements = 64;

/** Statements in one: none that is part of another, and as many as may stand in one value; null if nothing is said. */
function joined(statements: readonly (string | null | undefined)[]): string | null {
  const said = statements.flatMap((text) => (text ? [text] : [])).slice(0, maxStatements);
  const distinct = said.filter((text, i) =>
    said.every((other, j) => i === j || !other.includes(text) || (other === text && i < j)),
  );
  let whole = '';
  for (const text of distinct) {
    const longer = whole === '' ? text : `${whole}${separator}${text}`;
    if (new TextEncoder().encode(longer).length < maxStatementBytes) whole = longer;
  }
  return whole === '' ? null : whole;
}

/** Artist and Copyright: their own bytes where they say all that is said. */
function rightsValues({ notice, author }: RightsTexts, block: ExifBlock | undefined): ExifValue[] {
  const valueFor = (tag: number, text: string | null) => {
    if (text === null) return [];
    const isAll = joined(textsIn(block, tag)) === text;
    return block && isAll ? textValues(block, block.firstIfd, [tag]) : [textValue(tag, text)];
  };
  return [...valueFor(exifTag.artist, author), ...valueFor(exifTag.copyright, notice)];
}

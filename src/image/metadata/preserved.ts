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

/** A part of metadata: rights and authorship, dates of capture and digitization, or location. */
export type MetadataPart = 'copyright' | 'creation' | 'location';

/**
 * Returns only these parts of the metadata, in as few bytes as the container allows. Copyright notices in all forms
 * become a single one; different ones are joined. Other rights statements in XMP (terms, web page, license) stay in
 * XMP, because no other form has a place for them. Dates and locations keep their form; if both EXIF and XMP have them,
 * EXIF is kept. Damaged blocks are treated as empty.
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

/** Whether a property of XMP is redundant, because the notice and the author are stored elsewhere. */
function isSaidOtherwise(property: Property, { notice }: RightsTexts): boolean {
  const isStatement = ['rights', 'creator'].some((name) => named(property, namespace.dc, name));
  const isMark = named(property, namespace.xmpRights, 'Marked') && notice !== null;
  return isStatement || (isMark && propertyText(property).trim().toLowerCase() === 'true');
}

/** Notice and author of a picture, from all of its metadata. */
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

/** The texts of a tag. Copyright may have two, of photographer and editor, separated by NUL (CIPA DC-008 §4.6.4). */
function textsIn(block: ExifBlock | undefined, tag: number): readonly string[] {
  const [value] = block ? textValues(block, block.firstIfd, [tag]) : [];
  if (!value) return [];
  const ends = value.bytes.indexOf(0);
  return [value.bytes.subarray(0, ends), value.bytes.subarray(ends)].map((bytes) => textOf(bytes));
}

const separator = '; ';

/** Maximum number of statements to compare; only a hostile file has as many. */
const maxStatements = 64;

/** Joins statements up to the maximum length of a value, without those that are part of another; null if empty. */
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

/** Values for Artist and Copyright: the existing ones if they contain the whole text. */
function rightsValues({ notice, author }: RightsTexts, block: ExifBlock | undefined): ExifValue[] {
  const valueFor = (tag: number, text: string | null) => {
    if (text === null) return [];
    const isAll = joined(textsIn(block, tag)) === text;
    return block && isAll ? textValues(block, block.firstIfd, [tag]) : [textValue(tag, text)];
  };
  return [...valueFor(exifTag.artist, author), ...valueFor(exifTag.copyright, notice)];
}

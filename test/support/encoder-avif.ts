/**
 * What the AVIF encoder of this service writes, 16 × 12 pixels: `colr` of kind nclx with primaries
 * and transfer 2 ("unspecified"), and matrix 6, or 0 in a lossless file. Kept as bytes because the
 * encoder's module is built, and these tests are about its container only.
 */
export const encoderAvif = {
  lossyWithAlpha: file([
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAAGNbWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAA',
    'AAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAsaWxvYwAAAABEAAACAAEAAAABAAAB1QAAADEAAgAAAAEAAAG1',
    'AAAAIAAAAEJpaW5mAAAAAAACAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAAAaaW5mZQIAAAAAAgAAYXYwMUFscGhh',
    'AAAAABppcmVmAAAAAAAAAA5hdXhsAAIAAQABAAAAw2lwcnAAAACdaXBjbwAAABRpc3BlAAAAAAAAABAAAAAMAAAAEHBp',
    'eGkAAAAAAwgICAAAAAxhdjFDgQAMAAAAABNjb2xybmNseAACAAIABoAAAAAOcGl4aQAAAAABCAAAAAxhdjFDgQAcAAAA',
    'ADhhdXhDAAAAAHVybjptcGVnOm1wZWdCOmNpY3A6c3lzdGVtczphdXhpbGlhcnk6YWxwaGEAAAAAHmlwbWEAAAAAAAAA',
    'AgABBAECgwQAAgQBBYYHAAAAWW1kYXQSAAoFGAz+2FQyFRZAGGEAe1tJ8oOpK7Du77DYOcy8yhIACgkYDP7YIEBA0IAy',
    'IhZABhhhhAAxt5C+co4gZlYj/k0hfNt+LhihvRKxP090jaw=',
  ]),
  lossless: file([
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAA',
    'AAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAMAAAAAoaWluZgAA',
    'AAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAABAAAAAMAAAA',
    'EHBpeGkAAAAAAwgICAAAAAxhdjFDgSAAAAAAABNjb2xybmNseAACAAIAAIAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAA',
    'AMhtZGF0EgAKCDgM/thAgIAkMrEBEAAAyRjrRImdE8XR5GNxd8jIz803OLMo3zZalj7//9i2FDE84LYbGuoqL79JzXKV',
    'yb9+ee97U86Pcl1n86XlyMOqXlQuU4oPgK6OQ60lUc2iJ/Z+n/xghd7XzlxS5DMcQnO9HzFrX5clsTiGjJkcxpFx5Uvs',
    'Of6cWHlG3GLszC/ii0ZQv/5EhmLoySdsDfDnwyBsnixg6s9XgHcTmoi9i3D01luPyBmV86jniElm1KVy',
  ]),
} as const;

function file(lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(lines.join(''), 'base64'));
}

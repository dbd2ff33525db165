/** What a file says beside its picture, in the form that every container can hold. */
export interface Metadata {
  /** An EXIF block: from its TIFF header on, without `Exif\0\0` (CIPA DC-008 §4.5). */
  readonly exif: Uint8Array | null;
  /** An XMP packet in UTF-8 (ISO 16684-1). */
  readonly xmp: Uint8Array | null;
  /** IPTC datasets, as they stand in Photoshop's image resource 0x0404 (IPTC-IIM 4.2 §1.6). */
  readonly iptc: Uint8Array | null;
}

export const noMetadata: Metadata = { exif: null, xmp: null, iptc: null };

/**
 * What the content of an application segment begins with: EXIF and XMP in APP1, Photoshop's image
 * resources, which hold IPTC, in APP13. Sources: CIPA DC-008 §4.5.4, XMP part 3 §1.1.3.
 */
export const jpegSignature = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  photoshop: 'Photoshop 3.0\0',
} as const;

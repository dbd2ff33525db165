import sharp from 'sharp';
import { withPngChunk } from './pictures.ts';

/** Strokes of letters on a baseline at 10, with the width of each letter. */
const letters = {
  v: [11, 'M1 0 L5 9.5 L9 0'],
  o: [12, 'M5.5 0 a4.6 4.8 0 1 0 0.1 0 z'],
  r: [8, 'M1.5 10 V0 M1.5 3 Q3 0 6 0.2'],
  m: [16, 'M1.5 10 V0 M1.5 3 Q3 0 5 0 Q7.5 0 7.5 3.5 V10 M7.5 3 Q9 0 11 0 Q13.5 0 13.5 3.5 V10'],
  e: [12, 'M1 5 H10 A4.6 4.8 0 1 0 8.6 8.6'],
  d: [12, 'M5.5 0.4 a4.6 4.8 0 1 0 0.1 0 z M10 10 V-5'],
  i: [5, 'M2.5 0 V10 M2.5 -4 V-3.8'],
  a: [12, 'M5.5 0.4 a4.6 4.8 0 1 0 0.1 0 z M10 0 V10'],
} as const;

const word = ['v', 'o', 'o', 'r', 'm', 'e', 'd', 'i', 'a'] as const;

/** A sign on a disc with a gradient, next to a word, on a transparent background. */
function drawing(): string {
  let x = 29.4;
  const written = word.map((letter) => {
    const [width, strokes] = letters[letter];
    const path = `<path transform="translate(${x} 7.3)" d="${strokes}"/>`;
    x += width;
    return path;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="137" height="21" viewBox="0 0 137 21">
<defs><linearGradient id="disc" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#ff7a3d"/><stop offset="1" stop-color="#c81e3a"/></linearGradient></defs>
<g fill="none" stroke="#3d4450" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round">${written.join('')}</g>
<circle cx="11" cy="10.5" r="9.6" fill="url(#disc)"/><path d="M6.4 6.6 L11 15 L15.6 6.6" fill="none" stroke="#fff" stroke-width="2.6"/>
</svg>`;
}

/** The copyright notice in the logo's XMP packet. */
export const logoNotice = 'Copyright Voormedia';

const fileBytes = 17_150;

/** An XMP packet of this many bytes as a drawing program writes it: rights, dates, a history and padding. */
function packet(bytes: number): string {
  const events = Array.from({ length: 20 }, (_, i) => {
    const when = `2012-11-${String(i + 1).padStart(2, '0')}T10:11:12+01:00`;
    return `<rdf:li stEvt:action="saved" stEvt:instanceID="xmp.iid:${i}" stEvt:when="${when}" stEvt:softwareAgent="Drawing" stEvt:changed="/"/>`;
  });
  const head = `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
 xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
 xmlns:stEvt="http://ns.adobe.com/xap/1.0/sType/ResourceEvent#" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"
 xmp:CreatorTool="Drawing" xmp:CreateDate="2012-10-31T09:08:07+01:00" xmpRights:Marked="True">
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${logoNotice}</rdf:li></rdf:Alt></dc:rights>
<xmpMM:History><rdf:Seq>${events.join('\n')}</rdf:Seq></xmpMM:History></rdf:Description></rdf:RDF></x:xmpmeta>
`;
  const tail = '<?xpacket end="w"?>';
  const padding = bytes - Buffer.byteLength(head) - tail.length;
  return `${head}${' '.repeat(padding)}${tail}`;
}

/** A transparent logo of 137 × 21 pixels in a PNG of 17,150 bytes, hardly more than a tenth of which are image data. */
export async function ladenLogo(): Promise<Uint8Array<ArrayBuffer>> {
  const png = await sharp(Buffer.from(drawing())).png({ compressionLevel: 9 }).toBuffer();
  const keyword = 'XML:com.adobe.xmp\0\0\0\0\0';
  const text = packet(fileBytes - png.length - 12 - keyword.length);
  return Uint8Array.from(withPngChunk(png, 'iTXt', Buffer.from(keyword + text)));
}

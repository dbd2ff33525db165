import { DocsTable } from '../docs-table.tsx';

/** What happens to each format. */
export function Formats() {
  return (
    <DocsTable
      caption="What happens to each format"
      columns={['Format', 'Kept in its format', 'Made from another one, or reduced']}
      rows={formats}
    />
  );
}

const formats = [
  {
    id: 'jpeg',
    cells: [
      'JPEG',
      'Coefficients are coded anew, as a progressive file. Sampling, grey and CMYK stay.',
      'Coded by the same engine from the reduced or converted pixels.',
    ],
  },
  {
    id: 'png',
    cells: [
      'PNG',
      'A palette of up to 256 colours where that is hardly seen, which is measured on the result; otherwise every visible sample stays.',
      'The same. A photo as a PNG is large: prefer WebP or AVIF.',
    ],
  },
  {
    id: 'webp',
    cells: [
      'WebP',
      'Under quality=auto lossless stays lossless; lossy is coded anew.',
      'Lossy, or lossless if you say so.',
    ],
  },
  {
    id: 'avif',
    cells: [
      'AVIF',
      'Coded anew with 8 bits; with 10 or 12 bits it is kept as it is.',
      '8 bits. Large pictures are coded as a grid of cells.',
    ],
  },
];

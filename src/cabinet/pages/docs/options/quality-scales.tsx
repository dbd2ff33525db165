import type { ImageType } from '../../../../image/formats/facts.ts';
import { DocsTable } from '../docs-table.tsx';

/** What a quality means in each format. */
export function QualityScales({ auto }: { auto: Readonly<Record<ImageType, number>> }) {
  const scales = [
    {
      id: 'jpeg',
      cells: [
        'JPEG',
        auto.jpeg,
        'What libjpeg’s figures look like: 75 shows as much as 75 there, in fewer bytes.',
        'Every coefficient stays. Only for a JPEG that keeps its size.',
      ],
    },
    {
      id: 'png',
      cells: [
        'PNG',
        auto.png,
        'A palette of up to 256 colours where that shows so little; otherwise lossless. 100 is lossless.',
        'Every sample stays, 16 bits included.',
      ],
    },
    {
      id: 'webp',
      cells: [
        'WebP',
        `${auto.webp}, or lossless where the source is a lossless WebP`,
        'The scale of libwebp.',
        'Every sample stays, 8 bits.',
      ],
    },
    {
      id: 'avif',
      cells: [
        'AVIF',
        auto.avif,
        'The scale of libavif’s encoder.',
        'Every sample stays; 10 and 12 bits only where format and size do.',
      ],
    },
  ];
  return (
    <>
      <p>
        <code>Image-Quality</code> in the answer says which figure was used.
      </p>
      <DocsTable
        caption="Quality by format"
        columns={['Format', 'auto', '1 to 100', 'lossless']}
        rows={scales}
      />
      <p>
        A JPEG that was coded harder than what is asked for keeps its coefficients as they are:
        coding them finer would add bytes and no detail. Nor does <code>auto</code> give it a higher
        quality in WebP or AVIF than it had, unless it is reduced to less than half of its sides.
      </p>
    </>
  );
}

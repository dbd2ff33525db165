import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';

const parts = {
  jpeg: { id: 'jpeg', title: 'JPEG stays JPEG' },
  colour: { id: 'colour', title: 'Colour' },
  orientation: { id: 'orientation', title: 'Orientation' },
  transparency: { id: 'transparency', title: 'Transparency' },
  size: { id: 'size', title: 'Size' },
  metadata: { id: 'metadata', title: 'Metadata' },
  animation: { id: 'animation', title: 'Animation' },
  damage: { id: 'damage', title: 'Damaged files' },
  formats: { id: 'formats', title: 'Format by format' },
  gaps: { id: 'gaps', title: 'What is not done' },
} as const;

/** /docs/fidelity: what stays, what goes, and what is not done. */
export function fidelityPage(site: Site): string {
  return docsPage({
    site,
    path: '/docs/fidelity',
    sections: Object.values(parts),
    lead: 'A picture looks the same after as before: its colours, its orientation, its transparency. What does not change how it looks is taken out.',
    children: (
      <>
        <DocsSection section={parts.jpeg}>
          <p>
            A JPEG that keeps its size never becomes pixels on the way. Its coefficients are
            quantized and coded anew, so colours cannot shift; grey, CMYK and every sampling of
            colour stay. Under <code>quality=lossless</code> every coefficient is the same, in fewer
            bytes.
          </p>
        </DocsSection>
        <DocsSection section={parts.colour}>
          <Colour />
        </DocsSection>
        <DocsSection section={parts.orientation}>
          <p>
            A JPEG, PNG or WebP that keeps its format keeps its orientation tag, reduced or not.
            When the format changes the pixels are turned upright and the tag is gone. The cut,
            rotation and mirror that an AVIF states are applied. <code>width</code>,{' '}
            <code>height</code>, <code>Image-Width</code> and <code>Image-Height</code> speak of the
            upright picture.
          </p>
        </DocsSection>
        <DocsSection section={parts.transparency}>
          <p>
            Transparency stays wherever the format knows it, and becomes a JPEG only on a background
            that you choose. Colours under full transparency may change, since nobody sees them;
            with <code>quality=lossless</code> they stay as well.
          </p>
        </DocsSection>
        <DocsSection section={parts.size}>
          <p>
            Pictures are reduced in linear light with Lanczos-3 and premultiplied alpha: fine
            patterns keep their brightness, and edges get no fringe. They are never enlarged.
            Results in the same format and size are{' '}
            <a href="/docs/answers#never-bigger">never bigger</a> than what came in.
          </p>
        </DocsSection>
        <DocsSection section={parts.metadata}>
          <Metadata />
        </DocsSection>
        <DocsSection section={parts.animation}>
          <p>
            Animated PNG, WebP and AVIF are never flattened. Without a change of format or size the
            original comes back without the unwanted metadata, with{' '}
            <code>Image-Reason: animated</code>. With such a change the answer is{' '}
            <a href="/docs/errors#invalid_image">
              <code>invalid_image</code>
            </a>
            .
          </p>
        </DocsSection>
        <DocsSection section={parts.damage}>
          <p>
            A file that is cut short, damaged, or lies about its size is refused with{' '}
            <a href="/docs/errors#invalid_image">
              <code>invalid_image</code>
            </a>
            ; half a picture is never handed on. A missing end marker and bytes after the end do no
            harm and are accepted. Of an animation only the container is checked.
          </p>
        </DocsSection>
        <DocsSection section={parts.formats}>
          <DocsTable
            caption="What happens to each format"
            columns={['Format', 'Kept in its format', 'Made from another one, or reduced']}
            rows={formats}
          />
        </DocsSection>
        <DocsSection section={parts.gaps}>
          <Gaps />
        </DocsSection>
      </>
    ),
  });
}

function Colour() {
  return (
    <>
      <p>
        Colour profiles travel along into every format. Only a profile that <em>is</em> sRGB, judged
        by its numbers and not by its name, is dropped: without one, sRGB is what is shown. What a
        PNG says about its colours in other ways, and an AVIF with code points, becomes a small
        profile where the new format has no other place for it.
      </p>
      <ul>
        <li>
          CMYK photos and HDR pictures (PQ, HLG) keep their colours as they are. A change of their
          format or size is refused rather than done wrongly.
        </li>
        <li>
          Grey under a grey profile becomes sRGB in WebP and AVIF, which know profiles for colour
          only.
        </li>
        <li>
          16 bits become 8 where that is not seen. Where it would be, or under{' '}
          <code>quality=lossless</code>, they stay, or the change is refused.
        </li>
        <li>
          Ultra HDR: the gain map is dropped, and the picture that every screen shows is kept.
        </li>
      </ul>
    </>
  );
}

function Metadata() {
  return (
    <>
      <DocsTable
        caption="What of the metadata stays"
        columns={['metadata=', 'Stays', 'Is taken out']}
        rows={[
          {
            id: 'none',
            cells: [
              <code key="value">none</code>,
              'What the picture needs to look right: colour profile and orientation.',
              'Places, serial numbers, dates, thumbnails, comments, embedded second pictures, bytes after the end.',
            ],
          },
          {
            id: 'copyright',
            cells: [
              <code key="value">copyright</code>,
              'Besides that, who made the picture and who owns it: EXIF Artist and Copyright, rights in XMP and IPTC.',
              'All the rest.',
            ],
          },
          {
            id: 'all',
            cells: [
              <code key="value">all</code>,
              'EXIF, XMP and IPTC, in whatever way the new format holds them.',
              'What is no longer true, such as the thumbnail of a changed picture; gain maps; extended XMP; a block of more than 256 KiB (64 KiB in JPEG).',
            ],
          },
        ]}
      />
      <p>
        IPTC has no place in WebP and AVIF: its rights go into XMP there. Previews within the notes
        of camera makers stay under <code>metadata=all</code>.
      </p>
    </>
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
      'Lossless stays lossless, lossy is coded anew.',
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

function Gaps() {
  return (
    <ul>
      <li>GIF, SVG, HEIC, TIFF and JPEG XL are not read. Animations are not made smaller.</li>
      <li>
        A photo that is written as a PNG palette may be judged too well now and then: the measure is
        quick, and off by some points.
      </li>
      <li>A large JPEG may come out sequential instead of progressive, in a few more bytes.</li>
      <li>
        A profile made of look-up tables is carried along, but such a picture is reduced as if its
        tones were those of sRGB.
      </li>
      <li>
        The light of an AVIF is taken from its container: one that says PQ only inside its coded
        data is taken for sRGB.
      </li>
      <li>
        Damage that leaves a JPEG readable, such as a few surplus bytes before a marker, is not
        always noticed.
      </li>
      <li>
        Large pictures have <a href="/docs/limits#pixels">limits</a>, above all as WebP and AVIF.
      </li>
    </ul>
  );
}

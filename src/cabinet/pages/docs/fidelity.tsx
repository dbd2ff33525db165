import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { ErrorLink } from './error-link.tsx';
import { Colour } from './fidelity/colour.tsx';
import { Formats } from './fidelity/formats.tsx';
import { Gaps } from './fidelity/gaps.tsx';
import { Metadata } from './fidelity/metadata.tsx';

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

/**
 * /docs/fidelity: what stays, what goes, and what is not done.
 * @param metadataKibibytes of one block, at most
 */
export function fidelityPage(site: Site, metadataKibibytes: number): string {
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
            colour stay. Under <code>quality=lossless</code> every coefficient is the same, and only
            coded in fewer bytes.
          </p>
        </DocsSection>
        <DocsSection section={parts.colour}>
          <Colour />
        </DocsSection>
        <DocsSection section={parts.orientation}>
          <p>
            A JPEG, PNG or WebP that keeps its format keeps its orientation tag, reduced or not.
            When the format changes the pixels are turned upright and the tag is gone. The cut,
            rotation and mirror that an AVIF states are applied when it is coded anew.{' '}
            <code>width</code>, <code>height</code>, <code>Image-Width</code> and{' '}
            <code>Image-Height</code> speak of the upright picture.
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
          <Metadata mostKibibytes={metadataKibibytes} />
        </DocsSection>
        <DocsSection section={parts.animation}>
          <p>
            Animated PNG, WebP and AVIF are never flattened. Without a change of format or size the
            original comes back without the unwanted metadata, with{' '}
            <code>Image-Reason: animated</code> unless that alone saved 1 %. With such a change the
            answer is <ErrorLink code="invalid_image" />.
          </p>
        </DocsSection>
        <DocsSection section={parts.damage}>
          <p>
            A file that is found to be cut short, damaged, or lying about its size is refused with{' '}
            <ErrorLink code="invalid_image" />, and never handed on in part. A missing end marker
            and bytes after the end do no harm and are accepted. Of an animation only the container
            is checked.
          </p>
        </DocsSection>
        <DocsSection section={parts.formats}>
          <Formats />
        </DocsSection>
        <DocsSection section={parts.gaps}>
          <Gaps />
        </DocsSection>
      </>
    ),
  });
}

import type { ImageType } from '../../../../image/formats/facts.ts';
import { countText } from '../../../text/formatting.ts';

/** What does not go together. */
export function Refusals({ longestSide }: { longestSide: Readonly<Record<ImageType, number>> }) {
  const { webp, jpeg, avif } = longestSide;
  return (
    <>
      <p>
        <a href="/docs/errors#invalid_options">
          <code>400 invalid_options</code>
        </a>{' '}
        says what does not go together. None of this is charged:
      </p>
      <ul>
        <li>A name that is no option, a name given twice, a value out of range.</li>
        <li>Options in the query beside a form or JSON.</li>
        <li>
          <code>fit=cover</code> without both <code>width</code> and <code>height</code>.
        </li>
        <li>
          A transparent picture to JPEG without <code>background</code>.
        </li>
        <li>
          <code>quality=lossless</code> for a JPEG that comes from another format or changes its
          size.
        </li>
        <li>
          <code>quality=lossless</code> for samples of more than 8 bits that change their format or
          size.
        </li>
        <li>
          <code>quality=lossless</code> for grey under a grey profile to WebP or AVIF, which know
          profiles for colour only.
        </li>
        <li>
          A change of format or size that leaves a side of more than {countText(webp)} pixels to
          WebP, {countText(jpeg)} to JPEG, {countText(avif)} to AVIF.
        </li>
      </ul>
      <p>
        <a href="/docs/errors#invalid_image">
          <code>422 invalid_image</code>
        </a>{' '}
        is the answer where the picture itself stands in the way of a change of format or size: an
        animation, a CMYK or HDR picture (PQ, HLG), or one whose colour space is not known well
        enough. Without such a change all of these are welcome.
      </p>
    </>
  );
}

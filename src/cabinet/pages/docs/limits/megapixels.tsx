import { DocsTable } from '../docs-table.tsx';
import { ErrorLink } from '../error-link.tsx';
import { megapixelLimits } from './figures.ts';

/** How many pixels fit, from one format to another. */
export function Megapixels({ most }: { most: number }) {
  return (
    <>
      <p>
        The memory that a picture needs is reckoned before any pixel is decoded. What does not fit
        is refused at once with <ErrorLink code="image_too_large" />, which says how many pixels
        would. The table says how many megapixels fit, for opaque pictures of 4:3 in files of the
        usual size:
      </p>
      <DocsTable
        caption="Largest pictures in megapixels"
        columns={['From ↓ to →', 'JPEG', 'PNG', 'WebP', 'AVIF', 'Reduced to 800 px']}
        isNumeric
        rows={megapixelLimits.map(({ source, jpeg, png, webp, avif, reduced }) => ({
          id: source,
          cells: [source, ...[jpeg, png, webp, avif, reduced].map((value) => value.toFixed(1))],
        }))}
      />
      <p>
        The last column is the least of the four formats. So a photo of a phone with 12 megapixels
        can stay a JPEG or be reduced to any format, but cannot become a WebP or AVIF in its own
        size. A baseline JPEG, and a PNG that is not interlaced, are bounded by their files alone
        where they keep format and size: with fewer bytes a pixel they may have more than the table
        says. No picture that is worked on may have more than {most} megapixels. Transparency takes
        room, too.
      </p>
    </>
  );
}

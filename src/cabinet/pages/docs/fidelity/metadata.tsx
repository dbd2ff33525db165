import { DocsTable } from '../docs-table.tsx';

/** What of the metadata stays. */
export function Metadata({ mostKibibytes }: { mostKibibytes: number }) {
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
              `What is no longer true, such as the thumbnail of a changed picture; gain maps; extended XMP; a block of more than ${mostKibibytes} KiB (64 KiB in JPEG).`,
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

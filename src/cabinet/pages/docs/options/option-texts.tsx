import type { Child } from 'hono/jsx';

interface OptionText {
  /** Code stands in backticks. */
  readonly values: string;
  readonly fallback: string;
  readonly summary: string;
  readonly details: Child;
  /** A call that shows it: its query, what is sent, and what comes back. */
  readonly example: {
    readonly query: string;
    readonly from: string;
    readonly to: string;
    readonly says: string;
  };
}

/** What /docs/options says of each option. */
export const optionTexts: Readonly<Record<string, OptionText>> = {
  format: {
    values: '`keep`, `auto`, `jpeg`, `png`, `webp`, `avif`',
    fallback: 'keep',
    summary: 'The format of the result.',
    details: (
      <p>
        <code>keep</code> leaves it as it is. <code>auto</code> makes the picture in its own format,
        in WebP and in AVIF, and sends the smallest of those that <a href="#auto">may be shown</a>.
      </p>
    ),
    example: { query: 'format=avif', from: 'photo.jpg', to: 'photo.avif', says: 'A JPEG as AVIF' },
  },
  quality: {
    values: '`auto`, `lossless`, `1` to `100`',
    fallback: 'auto',
    summary: 'How much detail is kept.',
    details: (
      <p>
        <code>auto</code> is chosen so that the difference is hardly seen, and never finer than what
        a JPEG still has to give. <code>lossless</code> keeps every pixel, or, in a JPEG that stays
        one, every coefficient. A number is on the <a href="#scales">scale of the format</a>.
      </p>
    ),
    example: {
      query: 'quality=60',
      from: 'photo.jpg',
      to: 'small.jpg',
      says: 'Smaller, less fine',
    },
  },
  width: {
    values: '`1` to `16384`',
    fallback: 'none',
    summary: 'The most pixels across.',
    details: (
      <p>
        Counted in the picture as people see it, upright. Without <code>height</code> the height
        follows in proportion. A picture is never enlarged: a width beyond its own changes nothing.
      </p>
    ),
    example: {
      query: 'width=800',
      from: 'photo.jpg',
      to: 'photo-800.jpg',
      says: '800 pixels wide',
    },
  },
  height: {
    values: '`1` to `16384`',
    fallback: 'none',
    summary: 'The most pixels down.',
    details: (
      <p>
        The same for the other side. With both, <code>fit</code> says how they are meant.
      </p>
    ),
    example: {
      query: 'height=600',
      from: 'photo.jpg',
      to: 'photo-600.jpg',
      says: '600 pixels high',
    },
  },
  fit: {
    values: '`inside`, `cover`',
    fallback: 'inside',
    summary: 'How the picture meets the box of width and height.',
    details: (
      <p>
        <code>inside</code> shows the whole picture within the box, so that one side may be shorter.{' '}
        <code>cover</code> fills the box and cuts off what stands out, evenly on both sides; it
        needs both <code>width</code> and <code>height</code>. A picture that is too small for the
        box is cut to the shape of the box and not enlarged.
      </p>
    ),
    example: {
      query: 'width=400&height=400&fit=cover',
      from: 'photo.jpg',
      to: 'square.jpg',
      says: 'A square from the middle',
    },
  },
  metadata: {
    values: '`none`, `copyright`, `all`',
    fallback: 'none',
    summary: 'What is kept of EXIF, XMP and IPTC.',
    details: (
      <p>
        <code>none</code> takes out everything that does not change how the picture looks, such as
        the place where it was taken. <code>copyright</code> keeps who made it and who owns it.{' '}
        <code>all</code> keeps everything that it can, and corrects what is no longer true. Colour
        profiles and orientation are no metadata in this sense: they are always kept or applied.{' '}
        <a href="/docs/fidelity#metadata">In detail</a>
      </p>
    ),
    example: {
      query: 'metadata=copyright',
      from: 'photo.jpg',
      to: 'smaller.jpg',
      says: 'Without the place, with the author',
    },
  },
  background: {
    values: '`#rrggbb`',
    fallback: 'none',
    summary: 'The colour behind a transparent picture that becomes a JPEG.',
    details: (
      <p>
        JPEG knows no transparency, so a transparent picture becomes one only on a colour that you
        choose. Write <code>#</code> as <code>%23</code> in a query. With an opaque picture it is
        accepted and has no effect.
      </p>
    ),
    example: {
      query: 'format=jpeg&background=%23ffffff',
      from: 'logo.png',
      to: 'logo.jpg',
      says: 'A logo on white',
    },
  },
};

/** A file of a set, as a page can show it. */
export interface ShownFile {
  /** The URL to load it from. */
  readonly url: string;
  readonly mediaType: string;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Files of one type, of which a browser loads the one that it needs. */
export interface SourceSet {
  readonly type: string;
  /** The value of `srcset`. */
  readonly srcset: string;
}

/** What a `<picture>` offers: its sources in order, and its `<img>`, for browsers that know none of them. */
export interface PictureSources {
  readonly sources: readonly SourceSet[];
  readonly img: SourceSet & ShownFile;
}

/** Types that not all browsers know, those first that take the fewest bytes: a browser takes the first that it knows. */
const preferred = ['image/jxl', 'image/avif', 'image/webp'];

/**
 * Arranges the files of a set for a `<picture>`.
 * @throws RangeError if there are none
 */
export function pictureSources(files: readonly ShownFile[]): PictureSources {
  const names = new Set(files.map(({ mediaType }) => mediaType));
  const rank = (type: string) =>
    (preferred.indexOf(type) + preferred.length + 1) % (preferred.length + 1);
  const types = [...names].toSorted((one, other) => rank(one) - rank(other));
  const sets = types.map((type) => {
    const ascending = files
      .filter(({ mediaType }) => mediaType === type)
      .toSorted((a, b) => a.width - b.width);
    const srcset = ascending.map(({ url, width }) => `${url} ${width}w`).join(', ');
    return { type, srcset, widest: ascending.at(-1) };
  });
  const last = sets.pop();
  if (!last?.widest) throw new RangeError('a picture has at least one file');
  const { type, srcset, widest } = last;
  return {
    sources: sets.map((set) => ({ type: set.type, srcset: set.srcset })),
    img: { type, srcset, ...widest },
  };
}

/**
 * The markup of a `<picture>` that loads the file that fits, keeps its place until then, and is loaded when it comes
 * into view.
 * @param sizes how wide it is shown, as in the attribute of that name
 */
export function pictureMarkup(files: readonly ShownFile[], sizes: string): string {
  const { sources, img } = pictureSources(files);
  const shown = { srcset: img.srcset, sizes, width: img.width, height: img.height };
  const lines = [
    '<picture>',
    ...sources.map(({ type, srcset }) => `  <source${attributes({ type, srcset, sizes })}>`),
    `  <img${attributes({ src: img.url, ...shown, alt: '', loading: 'lazy' })}>`,
    '</picture>',
  ];
  return lines.join('\n');
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

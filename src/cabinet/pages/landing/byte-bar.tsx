/**
 * The one picture of bytes on these pages: a bar whose green part is what a file still needs, and whose yellow part is
 * what was saved. Its lengths are attributes of SVG, because the Content-Security-Policy forbids style attributes.
 */
export function ByteBar({ kept, of = 1, track = 1 }: ByteBarProps) {
  const percent = (share: number) => `${Number(((100 * share) / track).toFixed(2))}%`;
  const [shorter, longer] = kept < of ? [kept, of] : [of, kept];
  return (
    <svg class="byte-bar" aria-hidden="true">
      <rect class="kept" width={percent(shorter)} height="100%" />
      {longer > shorter && (
        <rect
          class={kept < of ? 'saved' : 'added'}
          x={percent(shorter)}
          width={percent(longer - shorter)}
          height="100%"
        />
      )}
      {longer > track && (
        <g class="break">
          <line x1="89%" y1="100%" x2="91%" y2="0" />
          <line x1="92%" y1="100%" x2="94%" y2="0" />
        </g>
      )}
    </svg>
  );
}

/** Lengths in any unit, the same one for all three. */
interface ByteBarProps {
  /** What the file needs. More than `of` is shown as an addition, not as a saving. */
  readonly kept: number;
  /** What it is compared with; by default, 1. */
  readonly of?: number;
  /** What the whole width stands for; by default, 1. A bar that is longer is cut, and has a mark that says so. */
  readonly track?: number;
}

import { useState } from 'preact/hooks';

interface Side {
  readonly src: string;
  /** What is written on it. */
  readonly tag: string;
}

/** Flatter or taller pictures are shown whole in a box of this shape. */
const flattest = 12;
const tallest = 1 / 12;

/** Two versions of one picture under a slider, both in the box of the second. */
export function Comparison({
  alt,
  width,
  height,
  before,
  after,
}: {
  alt: string;
  /** Pixels of the second. */
  width: number;
  height: number;
  before: Side;
  after: Side;
}) {
  const [at, setAt] = useState(50);
  const [isUnshowable, setUnshowable] = useState(false);
  const shape = width / height;
  const boxShape = Math.min(flattest, Math.max(tallest, shape));
  if (isUnshowable) {
    return <p class="soft">This browser cannot show one of the two pictures. The file is fine.</p>;
  }
  return (
    <div
      class={`comparison both-clipped ${shape === boxShape ? '' : 'whole'}`}
      style={{
        '--at': `${at}%`,
        aspectRatio: String(boxShape),
        // not enlarged and not higher than a screen, unless it would be too narrow to be looked at
        maxWidth: `min(100%, max(11rem, min(${width}px, ${32 * boxShape}rem)))`,
      }}
    >
      <img class="before" src={before.src} alt={alt} onError={() => setUnshowable(true)} />
      <img class="after" src={after.src} alt="" onError={() => setUnshowable(true)} />
      <span class="tag before-tag">{before.tag}</span>
      <span class="tag after-tag">{after.tag}</span>
      <span class="divider" />
      <input
        type="range"
        min="0"
        max="100"
        value={at}
        aria-label="How much of the original is shown, in per cent"
        onInput={(event) => setAt(Number(event.currentTarget.value))}
      />
    </div>
  );
}

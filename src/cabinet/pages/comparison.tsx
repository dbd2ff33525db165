interface Side {
  readonly src: string;
  /** What is written on it. */
  readonly tag: string;
}

/** Two versions of one picture under a slider; browser/rendered/slider.ts moves it. */
export function Comparison({
  alt,
  width,
  height,
  before,
  after,
}: {
  alt: string;
  width: number;
  height: number;
  before: Side;
  after: Side;
}) {
  return (
    <div class="comparison">
      <img src={before.src} alt={alt} width={width} height={height} />
      <img class="after" src={after.src} alt="" width={width} height={height} />
      <span class="tag before-tag">{before.tag}</span>
      <span class="tag after-tag">{after.tag}</span>
      <span class="divider" />
      <input
        type="range"
        min="0"
        max="100"
        defaultValue="50"
        aria-label="How much of the original is shown, in per cent"
      />
    </div>
  );
}

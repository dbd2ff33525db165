import { useEffect, useState } from 'preact/hooks';
import { changeText, countText, sizeText } from '../../text/formatting.ts';
import { qualityText, type Result, reasonText, typeText } from './result.ts';

/** A picture that came back: what it lost, the file, and both versions to compare. */
export function Finished({
  file,
  result,
  isCompared,
}: {
  file: File;
  result: Result;
  isCompared: boolean;
}) {
  const url = useBlobUrl(result.blob);
  const [isOpen, setOpen] = useState(isCompared);
  const { bytesBefore, bytesAfter, width, height, type, quality, fileName } = result;
  const reason = reasonText(result);
  return (
    <div class="finished">
      <div class="outcome">
        <p class="outcome-sizes">
          {sizeText(bytesBefore)} <span aria-hidden="true">→</span>
          <span class="visually-hidden">became</span> <strong>{sizeText(bytesAfter)}</strong>{' '}
          <span class={result.isSmaller ? 'badge' : 'badge off'}>
            {changeText(bytesBefore, bytesAfter)}
          </span>
        </p>
        <p class="soft">
          {typeText(type)}, {countText(width)} × {countText(height)} pixels, {qualityText(quality)}
        </p>
        {reason && <p>{reason}</p>}
        {url && (
          <p>
            <a class="button" href={url} download={fileName}>
              <span>
                Download <bdi>{fileName}</bdi>
              </span>
            </a>
          </p>
        )}
      </div>
      <details open={isCompared} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Before and after</summary>
        {isOpen && url && <Compared file={file} result={result} after={url} />}
      </details>
    </div>
  );
}

/** Decoded only when it is looked at. */
function Compared({ file, result, after }: { file: File; result: Result; after: string }) {
  const before = useBlobUrl(file);
  if (before === null) return null;
  return (
    <Comparison
      alt={`${file.name}, before on the left, after on the right`}
      width={result.width}
      height={result.height}
      before={{ src: before, tag: `Before, ${sizeText(result.bytesBefore)}` }}
      after={{ src: after, tag: `After, ${sizeText(result.bytesAfter)}` }}
    />
  );
}

interface Side {
  readonly src: string;
  /** What is written on it. */
  readonly tag: string;
}

/** Flatter or taller pictures are shown whole in a box of this shape. */
const flattest = 12;
const tallest = 1 / 12;

/** Two versions of one picture under a slider, both in the box of the second. */
function Comparison({
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

/** An address for a blob, given back when what shows it goes away. Null at first. */
function useBlobUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}

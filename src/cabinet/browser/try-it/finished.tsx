import { useEffect, useState } from 'preact/hooks';
import { changeText, countText, sizeText } from '../../text/formatting.ts';
import { type ComparedImages, comparisonLabel } from '../../text/interface.ts';
import { hdrText, qualityText, type Result, reasonText, typeText } from './result.ts';

/** A finished upload: the sizes, a download link, and both versions to compare. */
export function Finished({
  file,
  result,
  isComparisonOpen,
}: {
  file: File;
  result: Result;
  isComparisonOpen: boolean;
}) {
  const url = useBlobUrl(result.blob);
  const [isOpen, setOpen] = useState(isComparisonOpen);
  const { bytesBefore, bytesAfter, width, height, type, quality, fileName } = result;
  const reason = reasonText(result);
  const hdr = hdrText(result.hdr);
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
          {hdr && `, ${hdr}`}
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
      <details open={isComparisonOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Before and after</summary>
        {isOpen && url && <ResultComparison file={file} result={result} after={url} />}
      </details>
    </div>
  );
}

/** The comparison of both images, decoded only when it is opened. */
function ResultComparison({ file, result, after }: { file: File; result: Result; after: string }) {
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

/** Limits of width / height. Images beyond them are shown whole within a box of this shape. */
const widestShape = 12;
const tallestShape = 1 / 12;

/** Two versions of an image with a slider between them, both in a box of the second one's shape. */
function Comparison({ alt, width, height, before, after }: ComparedImages) {
  const [at, setAt] = useState(50);
  const [isUndecodable, setUndecodable] = useState(false);
  const shape = width / height;
  const boxShape = Math.min(widestShape, Math.max(tallestShape, shape));
  if (isUndecodable) {
    return (
      <p class="soft">This browser can’t display one of the two images. The file itself is fine.</p>
    );
  }
  return (
    <div
      class={`comparison both-clipped ${shape === boxShape ? '' : 'whole'}`}
      style={{
        '--at': `${at}%`,
        aspectRatio: String(boxShape),
        // not enlarged, and no taller than a screen unless it would become too narrow
        maxWidth: `min(100%, max(11rem, min(${width}px, ${32 * boxShape}rem)))`,
      }}
    >
      <img class="before" src={before.src} alt={alt} onError={() => setUndecodable(true)} />
      <img class="after" src={after.src} alt="" onError={() => setUndecodable(true)} />
      <span class="tag before-tag">{before.tag}</span>
      <span class="tag after-tag">{after.tag}</span>
      <span class="divider" />
      <input
        type="range"
        min="0"
        max="100"
        value={at}
        aria-label={comparisonLabel}
        onInput={(event) => setAt(Number(event.currentTarget.value))}
      />
    </div>
  );
}

/** An object URL for a blob, revoked on unmount. Null on the first render. */
function useBlobUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(created);
    };
  }, [blob]);
  return url;
}

import { useState } from 'preact/hooks';
import { changeText, countText, sizeText } from '../../text/sizes.ts';
import { Comparison } from '../parts/comparison.tsx';
import { qualityText, type Result, reasonText, typeText } from './result.ts';
import { useBlobUrl } from './use-blob-url.ts';

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

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { sizeText } from '../../text/formatting.ts';
import { useBlobUrl } from '../workbench/blob-url.ts';
import { typeText } from '../workbench/result.ts';
import type { DeliveredImage } from './delivered.ts';

/** A delivered image, or words in its place, in a frame that always has the same height. */
export function Picture({
  image,
  alt,
  words = null,
}: {
  /** Null: there is none, or it has not come yet. */
  image: DeliveredImage | null;
  alt: string;
  /** Shown while there is no image. */
  words?: ComponentChildren;
}) {
  return (
    <div class="picture">
      {image ? (
        <ShownImage key={image} image={image} alt={alt} />
      ) : (
        // Other words are not those of before, moved.
        <div key={typeof words === 'string' ? words : null}>{words}</div>
      )}
    </div>
  );
}

function ShownImage({
  image: { blob, type, width, height },
  alt,
}: {
  image: DeliveredImage;
  alt: string;
}) {
  const url = useBlobUrl(blob);
  const [isUnknown, setUnknown] = useState(false);
  if (isUnknown) return <p class="soft">This browser doesn’t show {typeText(type)}.</p>;
  if (url === null) return null;
  return <img src={url} alt={alt} width={width} height={height} onError={() => setUnknown(true)} />;
}

/** What an image is, in short: `AVIF, 800 × 534, 43.1 KB`. */
export function imageText({ type, width, height, blob }: DeliveredImage): string {
  return `${typeText(type)}, ${width} × ${height}, ${sizeText(blob.size)}`;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** Of the shorter side, in pixels of the screen: twice what is shown. */
const side = 80;

/** One after the other, since each is decoded as a whole. */
let last: Promise<unknown> = Promise.resolve();

function smallBitmap(blob: Blob): Promise<ImageBitmap> {
  const made = last.then(() =>
    createImageBitmap(blob, { resizeHeight: side, resizeQuality: 'medium' }),
  );
  last = made.catch(() => {});
  return made;
}

/** A small picture of a file; an icon until it is there, and where the browser cannot show it. */
export function Thumbnail({ file }: { file: Blob }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    let isOver = false;
    const draw = (bitmap: ImageBitmap) => {
      const target = canvas.current;
      if (!isOver && target) {
        target.width = bitmap.width;
        target.height = bitmap.height;
        target.getContext('2d')?.drawImage(bitmap, 0, 0);
        setDrawn(true);
      }
      bitmap.close();
    };
    smallBitmap(file).then(draw, () => {});
    return () => {
      isOver = true;
    };
  }, [file]);
  return (
    <span class="thumbnail">
      <canvas ref={canvas} width={1} height={1} hidden={!isDrawn} />
      {!isDrawn && <Icon name="image" />}
    </span>
  );
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** Height of a thumbnail in device pixels: twice the displayed size. */
const side = 80;

/** The last decoding job. Images are decoded one after the other, because each is decoded at full size. */
let lastJob: Promise<unknown> = Promise.resolve();

function smallBitmap(blob: Blob): Promise<ImageBitmap> {
  const decoded = lastJob.then(() =>
    createImageBitmap(blob, { resizeHeight: side, resizeQuality: 'medium' }),
  );
  lastJob = decoded.catch(() => {});
  return decoded;
}

/** A thumbnail of a file; an icon until it is drawn, and if the browser cannot decode the image. */
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

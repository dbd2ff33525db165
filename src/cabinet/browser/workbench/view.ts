/**
 * The visible section of an image: the image point in the middle of the stage, in image pixels, and the scale in CSS
 * pixels per image pixel.
 */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** In pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point on the stage, in CSS pixels from its middle. */
export interface StagePoint {
  readonly x: number;
  readonly y: number;
}

const maxScale = 8;

/** A view of the whole image, not enlarged. */
export function fitted(image: Size, stage: Size): View {
  const scale = Math.min(1, stage.width / image.width, stage.height / image.height);
  return { x: image.width / 2, y: image.height / 2, scale };
}

/** Zooms so that the image point under `at` stays in place. */
export function zoomed(
  view: View,
  scale: number,
  image: Size,
  stage: Size,
  at: StagePoint = { x: 0, y: 0 },
): View {
  const minScale = fitted(image, stage).scale;
  const next = Math.min(maxScale, Math.max(minScale, scale));
  const kept = 1 / view.scale - 1 / next;
  return within({ x: view.x + at.x * kept, y: view.y + at.y * kept, scale: next }, image, stage);
}

/** Moves the image by a distance in CSS pixels. */
export function panned(view: View, by: StagePoint, image: Size, stage: Size): View {
  const { scale } = view;
  return within({ scale, x: view.x - by.x / scale, y: view.y - by.y / scale }, image, stage);
}

/** Keeps the image on the stage: centered if it is smaller, and without a gap at its edges if it is larger. */
function within({ x, y, scale }: View, image: Size, stage: Size): View {
  return {
    scale,
    x: between(x, image.width, stage.width / scale),
    y: between(y, image.height, stage.height / scale),
  };
}

function between(middle: number, length: number, shown: number): number {
  if (shown >= length) return length / 2;
  return Math.min(length - shown / 2, Math.max(shown / 2, middle));
}

/** Position and size of the image on the stage, in CSS pixels from the stage's upper left corner. */
export function placed({ x, y, scale }: View, image: Size, stage: Size) {
  return {
    left: stage.width / 2 - x * scale,
    top: stage.height / 2 - y * scale,
    width: image.width * scale,
    height: image.height * scale,
  };
}

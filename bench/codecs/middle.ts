import type { Sharp } from 'sharp';

/** In pixels; in whole MCUs of any sampling, so that blocks stay in place. */
const [longSide, shortSide, unit] = [832, 624, 16];

/** The middle of a camera photo, since scoring all of it would take minutes. */
export async function middleOf(photo: Sharp): Promise<Sharp> {
  const { width, height } = await photo.metadata();
  const [across, down] = width > height ? [longSide, shortSide] : [shortSide, longSide];
  return photo.extract({
    left: offset(width, across),
    top: offset(height, down),
    width: Math.min(width, across),
    height: Math.min(height, down),
  });
}

function offset(length: number, wanted: number): number {
  return unit * Math.max(0, Math.floor((length - wanted) / 2 / unit));
}

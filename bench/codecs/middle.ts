import type { Sharp } from 'sharp';

/** Sides and grid in pixels; the grid is a whole number of MCUs for any sampling, so that blocks stay aligned. */
const [longSide, shortSide, unit] = [832, 624, 16];

/** The middle of a camera photo, because scoring the whole photo would take minutes. */
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

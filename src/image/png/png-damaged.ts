/** Thrown inside this folder when the data are not what they must be; its exported readers catch it. */
export class PngDamaged extends Error {
  override readonly name = 'PngDamaged';
}

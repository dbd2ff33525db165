/**
 * Of left, above and above left the one nearest to left + above − above left (PNG third edition
 * §9.4). By masks of the sign bit, since in photos a processor cannot guess the branches.
 */
export function paeth(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner);
  const toAbove = Math.abs(left - corner);
  const toCorner = Math.abs(left + above - 2 * corner);
  const notLeft = ((toAbove - toLeft) | (toCorner - toLeft)) >> 31;
  const notAbove = (toCorner - toAbove) >> 31;
  const other = above ^ ((above ^ corner) & notAbove);
  return left ^ ((left ^ other) & notLeft);
}

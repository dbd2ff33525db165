/** Size of the drawing, in CSS pixels. */
export const drawing = { width: 96, height: 28 } as const;

/** Room for half of the stroke above and below. */
const margin = 1.5;

/** Paths through the counts, and down to the ground: of the highest count, or of 1, the height. */
export function sparklinePaths(counts: readonly number[]): { line: string; area: string } {
  const { width, height } = drawing;
  const highest = Math.max(1, ...counts);
  const step = width / Math.max(1, counts.length - 1);
  const points = counts.map((count, i) => {
    const y = height - margin - (count / highest) * (height - 2 * margin);
    return `${rounded(i * step)} ${rounded(y)}`;
  });
  const line = `M${points.join('L')}`;
  return { line, area: `${line}V${height}H0Z` };
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

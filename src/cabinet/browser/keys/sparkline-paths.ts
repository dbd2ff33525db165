/** Size of the sparkline, in CSS pixels. */
export const drawing = { width: 96, height: 28 } as const;

/** Room for half of the stroke width above and below. */
const margin = 1.5;

/**
 * SVG paths of the line through the counts, and of the area below it; the highest count, or 1 if higher, takes the full
 * height.
 */
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

import { filesText } from '../../text/formatting.ts';
import { drawing, sparklinePaths } from './sparkline-paths.ts';

/** Files per day as a small line without axes, for comparison with other rows. */
export function Sparkline({ counts }: { counts: readonly number[] | undefined }) {
  // A key created after the list was loaded has no counts.
  const days = counts ?? [0, 0];
  const sum = days.reduce((all, count) => all + count, 0);
  const { line, area } = sparklinePaths(days);
  const text = `${filesText(sum)} in 30 days`;
  return (
    <svg
      class={sum === 0 ? 'sparkline idle' : 'sparkline'}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path class="area" d={area} />
      <path class="line" d={line} />
    </svg>
  );
}

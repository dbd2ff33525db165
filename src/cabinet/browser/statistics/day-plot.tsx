import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { dayText } from '../../text/formatting.ts';
import { dayTicks, plotSummary } from './figures.ts';

interface Plot {
  readonly title: string;
  /** The custom property with the color of the bars: `--sun` for bytes saved, as in all other charts. */
  readonly color: '--accent' | '--sun';
  readonly days: readonly string[];
  /** One value per day. */
  readonly values: readonly number[];
  readonly axisText: (value: number) => string;
  readonly valueText: (value: number) => string;
}

/** A chart of one figure per day. The table of days has the same data for screen readers. */
export function DayPlot(plot: Plot) {
  const { title, days, values, valueText } = plot;
  const container = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const isDark = useDarkScheme();
  const content = JSON.stringify([days, values]);
  // Redrawn for new data or colors, not on every render.
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const size = () => ({ width: element.clientWidth, height: 170 });
    const chart = new uPlot(
      { ...settings(plot, element, setHovered), ...size() },
      [days.map((_, index) => index), [...values]],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize(size()));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [content, isDark]);

  const at = hovered ?? values.indexOf(Math.max(...values));
  const day = days[at];
  return (
    <figure class="plot">
      <figcaption class="cluster apart">
        <h2>{title}</h2>
        {day !== undefined && (
          <span class="soft">
            {hovered === null && 'Peak: '}
            {dayText(day)}, {valueText(values[at] ?? 0)}
          </span>
        )}
      </figcaption>
      <div
        ref={container}
        role="img"
        aria-label={`${title}. ${plotSummary(days, values, valueText)}`}
      />
    </figure>
  );
}

function settings(
  { color: barColor, days, axisText }: Plot,
  element: HTMLElement,
  setHovered: (index: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: color('--ink-soft'), font };
  const gridStyle = { stroke: color('--line'), width: 1 };
  const ticksIn = (width: number) => dayTicks(days, Math.floor(width / 72));
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'days' } },
    hooks: { setCursor: [(chart) => setHovered(chart.cursor.idx ?? null)] },
    scales: {
      // Half a day of padding on both sides, for the first and last bar.
      x: { time: false, range: () => [-0.5, days.length - 0.5] },
      y: { range: (_, __, max) => [0, Math.max(1, max) * 1.08] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { ...gridStyle, size: 4 },
        size: 30,
        splits: (chart) => ticksIn(chart.width).map(({ index }) => index),
        values: (chart) => ticksIn(chart.width).map(({ label }) => label),
      },
      {
        ...axis,
        grid: gridStyle,
        ticks: { show: false },
        size: 64,
        gap: 8,
        space: 36,
        // Whole numbers, because there are no fractions of files or bytes.
        incrs: [1, 2, 2.5, 5]
          .flatMap((n) =>
            Array.from({ length: 15 }, (_, power) => n * 10 ** power).filter(Number.isInteger),
          )
          .sort((a, b) => a - b),
        values: (_, splits) => splits.map(axisText),
      },
    ],
    series: [{}, bars(color(barColor))],
  };
}

function bars(fill: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0.15 });
  return { fill, width: 0, points: { show: false }, ...(paths && { paths }) };
}

function useDarkScheme(): boolean {
  const [isDark, setDark] = useState(() => scheme().matches);
  useEffect(() => {
    const query = scheme();
    const change = () => setDark(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isDark;
}

function scheme(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}

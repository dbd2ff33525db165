import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { dayText } from '../../text/formatting.ts';
import { dayTicks, plotSummary } from './plot-text.ts';

interface Plot {
  readonly title: string;
  readonly shape: 'bars' | 'line';
  readonly days: readonly string[];
  /** One of each day. */
  readonly values: readonly number[];
  readonly axisText: (value: number) => string;
  readonly valueText: (value: number) => string;
}

/** One figure by day. The table of days says the same to those who do not see it. */
export function DayPlot(plot: Plot) {
  const { title, days, values, valueText } = plot;
  const place = useRef<HTMLDivElement>(null);
  const [pointed, point] = useState<number | null>(null);
  const isDark = useDarkScheme();
  const content = JSON.stringify([days, values]);
  // drawn anew for other figures and other colours, not for every rendering
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const size = () => ({ width: element.clientWidth, height: 170 });
    const drawn = new uPlot(
      { ...settings(plot, element, point), ...size() },
      [days.map((_, index) => index), [...values]],
      element,
    );
    const watch = new ResizeObserver(() => drawn.setSize(size()));
    watch.observe(element);
    return () => {
      watch.disconnect();
      drawn.destroy();
    };
  }, [content, isDark]);

  const most = Math.max(...values);
  const at = pointed ?? values.indexOf(most);
  const day = days[at];
  return (
    <figure class="plot">
      <figcaption class="cluster apart">
        <h2>{title}</h2>
        {day !== undefined && (
          <span class="soft">
            {pointed === null && 'Most: '}
            {dayText(day)}, {valueText(values[at] ?? 0)}
          </span>
        )}
      </figcaption>
      <div
        ref={place}
        role="img"
        aria-label={`${title}. ${plotSummary(days, values, valueText)}`}
      />
    </figure>
  );
}

function settings(
  { shape, days, axisText }: Plot,
  element: HTMLElement,
  point: (index: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: color('--ink-soft'), font };
  const quiet = { stroke: color('--line'), width: 1 };
  const ticksIn = (width: number) => dayTicks(days, Math.floor(width / 72));
  return {
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'days' } },
    hooks: { setCursor: [(drawn) => point(drawn.cursor.idx ?? null)] },
    scales: {
      // half a day of air on both sides, for the bars at the ends
      x: { time: false, range: () => [-0.5, days.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(1, most) * 1.08] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { ...quiet, size: 4 },
        size: 30,
        splits: (drawn) => ticksIn(drawn.width).map(({ index }) => index),
        values: (drawn) => ticksIn(drawn.width).map(({ label }) => label),
      },
      {
        ...axis,
        grid: quiet,
        ticks: { show: false },
        size: 64,
        gap: 8,
        space: 36,
        // there is no half file, and no half byte
        incrs: [1, 2, 2.5, 5]
          .flatMap((n) =>
            Array.from({ length: 15 }, (_, power) => n * 10 ** power).filter(Number.isInteger),
          )
          .sort((a, b) => a - b),
        values: (_, splits) => splits.map(axisText),
      },
    ],
    series: [
      {},
      shape === 'bars'
        ? bars(color('--accent'))
        : line(color('--accent'), color('--accent-soft'), color('--surface'), days.length),
    ],
  };
}

function bars(fill: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({ size: [0.72, 36], radius: 0.15 });
  return { fill, width: 0, points: { show: false }, ...(paths && { paths }) };
}

function line(stroke: string, fill: string, ground: string, count: number): uPlot.Series {
  return {
    stroke,
    fill,
    width: 2,
    points: { show: count <= 31, size: 7, width: 2, stroke, fill: ground },
  };
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

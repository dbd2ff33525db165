import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { Axis, Plot, Series } from './section.ts';

/** Renders a plot as an SVG document, on white so that it is readable on dark pages, too. */
export async function plotSvg(plot: Plot): Promise<string> {
  const { spec } = compile(plotSpec(plot));
  const svg = await new View(parse(spec), { renderer: 'none' }).toSVG();
  return svg.replace('fill="white"', 'rx="8" fill="white"');
}

/** The color-blind safe palette of Okabe and Ito; the first color is ours. */
const ourColor = '#d55e00';
const ourShades = [ourColor, '#a14400', '#f0965a', '#6b2d00'];
const peerColors = ['#0072b2', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#4d4d4d', '#7b5ea7'];
const shapes = [
  'circle',
  'square',
  'triangle-up',
  'diamond',
  'cross',
  'triangle-down',
  'triangle-left',
];
const grey = '#767676';

type Layers = Extract<TopLevelSpec, { layer: unknown }>['layer'];

/** A point of a series, in the flat list that Vega-Lite expects. */
interface Row {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

/** The Vega-Lite specification of a plot: lines, points, and references in gray. */
function plotSpec({ title, x, y, series }: Plot): TopLevelSpec {
  const compared = series.filter(({ isReference }) => !isReference);
  const references = series.filter(({ isReference }) => isReference);
  const ours = compared.filter(isOurs);
  const others = compared.filter((one) => !isOurs(one));
  const names = compared.map(({ name }) => name);
  const color = {
    field: 'series',
    type: 'nominal',
    title: null,
    sort: names,
    scale: { domain: names, range: colorsOf(names) },
  } as const;
  const shape = {
    ...color,
    scale: { domain: names, range: names.map((_, i) => shapes[i % shapes.length] ?? 'circle') },
  } as const;
  const marks: Layers = [
    ...references.flatMap((reference) => referenceLayers(reference)),
    // Our series are drawn last and thinner, so that a series below remains visible on both sides.
    ...[others, ours].flatMap((drawn) => [
      {
        data: { values: rowsOf(drawn.filter(({ mark }) => mark === 'line')) },
        mark: { type: 'line', strokeWidth: drawn === ours ? 2.2 : 3.4 },
        encoding: { color: color, order: { field: 'x', type: 'quantitative' } },
      } as const,
      {
        data: { values: rowsOf(drawn) },
        mark: { type: 'point', filled: true, opacity: 1, size: drawn === ours ? 34 : 64 },
        encoding: { color: color, shape },
      } as const,
    ]),
  ];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, anchor: 'start', fontSize: 15, offset: 14 },
    width: 560,
    height: 340,
    padding: 18,
    background: 'white',
    config: {
      font: 'system-ui, -apple-system, "Segoe UI", sans-serif',
      view: { stroke: null },
      axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal', titlePadding: 10 },
      legend: { labelFontSize: 12, labelLimit: 260, symbolSize: 90, rowPadding: 5 },
    },
    encoding: { x: axis('x', x, series), y: axis('y', y, series) },
    layer: marks,
  };
}

/** Axis labels without exponents. */
const labelExpr = "format(datum.value, ',.6~r')";

function axis(
  field: 'x' | 'y',
  { title, scale, fromZero = false }: Axis,
  series: readonly Series[],
) {
  const shared = { field, type: 'quantitative', title } as const;
  const look = { labelExpr, gridColor: '#ebebeb', domainColor: grey, tickColor: grey } as const;
  if (scale === 'linear') {
    const linear = { type: scale, zero: fromZero, nice: true } as const;
    return { ...shared, scale: linear, axis: { ...look, tickCount: 8 } };
  }
  const domain = logDomain(series.flatMap(({ points }) => points.map((point) => point[field])));
  return { ...shared, scale: { type: scale, domain }, axis: { ...look, values: ticks(domain) } };
}

/** A domain with a small margin on both sides, instead of whole powers of ten. */
function logDomain(values: readonly number[]): [number, number] {
  const shown = values.filter((value) => value > 0);
  return shown.length === 0 ? [1, 10] : [Math.min(...shown) / 1.12, Math.max(...shown) * 1.12];
}

/** Round numbers in a range: many in a narrow range, only powers of ten in a wide one. */
function ticks([from, to]: readonly [number, number]): number[] {
  const decades = Math.log10(to / from);
  const steps = decades > 4 ? [1] : decades > 1.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
  const first = Math.floor(Math.log10(from));
  const powers = Array.from({ length: Math.ceil(decades) + 2 }, (_, i) => first + i);
  return powers
    .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
    .filter((value) => value >= from && value <= to);
}

/** A dashed line with its name at the right end. */
function referenceLayers(reference: Series): Layers {
  const values = rowsOf([reference]).sort((a, b) => a.x - b.x);
  return [
    {
      data: { values },
      mark: { type: 'line', color: grey, strokeDash: [5, 4], strokeWidth: 1.5 },
    },
    {
      data: { values: values.slice(-1) },
      mark: { type: 'text', color: grey, align: 'right', dy: -8, fontSize: 12 },
      encoding: { text: { field: 'series', type: 'nominal' } },
    },
  ];
}

function rowsOf(series: readonly Series[]): Row[] {
  return series.flatMap(({ name, points }) => points.map(({ x, y }) => ({ series: name, x, y })));
}

/** Colors of the series; those whose names begin with "ours" always get the same colors. */
function colorsOf(names: readonly string[]): string[] {
  let [ours, peers] = [0, 0];
  return names.map((name) => {
    if (isOurs({ name })) return ourShades[ours++ % ourShades.length] ?? ourColor;
    return peerColors[peers++ % peerColors.length] ?? grey;
  });
}

function isOurs({ name }: Pick<Series, 'name'>): boolean {
  return name.startsWith('ours');
}

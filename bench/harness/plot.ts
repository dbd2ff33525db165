import { parse, View } from 'vega';
import { compile } from 'vega-lite';
import { plotSpec } from './plot-spec.ts';
import type { Plot } from './section.ts';

/** A plot as an SVG document, on white so that it can be read on a dark page too. */
export async function plotSvg(plot: Plot): Promise<string> {
  const { spec } = compile(plotSpec(plot));
  const svg = await new View(parse(spec), { renderer: 'none' }).toSVG();
  return svg.replace('fill="white"', 'rx="8" fill="white"');
}

import { families } from './families.ts';

// What is counted is kept by the text of its sample, such as `fewerbytes_mails_total{outcome="sent"}`: increases can be
// sent elsewhere, added to others and written as they are.

type Families = typeof families;
type Family = keyof Families;

type OfType<Type> = {
  [Name in Family]: Families[Name]['type'] extends Type ? Name : never;
}[Family];

/** A value for each label of a family. */
type LabelsOf<Name extends Family> = {
  readonly [Label in keyof Families[Name]['labels']]: Families[Name]['labels'][Label] extends readonly (infer Value extends
    string)[]
    ? Value
    : string;
};

/** Values by sample. */
export type Samples = Readonly<Record<string, number>>;

/** Increases since they were last taken. */
const news = new Map<string, number>();

/**
 * Counts something that has happened.
 * @param by how much; in the unit of the name
 */
export function count<const Name extends OfType<'counter'>>(
  name: Name,
  labels: LabelsOf<Name>,
  by = 1,
): void {
  increase(sampleOf(name, labels), by);
}

/** Counts something by its size, in the unit of the name. */
export function observe<const Name extends OfType<'histogram'>>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number,
): void {
  for (const [sample, by] of observation(name, labels, value)) increase(sample, by);
}

/** A sample of a gauge, or of a counter that is kept elsewhere. */
export function sampleOf<const Name extends Family>(name: Name, labels: LabelsOf<Name>): string {
  return sampleText(name, labels);
}

/** Whether anything was counted since increases were last taken. */
export function hasNews(): boolean {
  return news.size > 0;
}

/** Takes all increases: from then on, they are the caller’s. */
export function takeNews(): Samples {
  const taken = Object.fromEntries(news);
  news.clear();
  return taken;
}

/** Gives increases back that could not be handed on. */
export function returnNews(taken: Samples): void {
  for (const [sample, by] of Object.entries(taken)) increase(sample, by);
}

/** What was counted, if increases are never taken. */
export function counted(): Samples {
  return Object.fromEntries(news);
}

/** The samples of all series whose labels are known, at zero. */
export function zeros(): Samples {
  const samples: Record<string, number> = {};
  for (const [name, { type, labels }] of Object.entries(families)) {
    if (type === 'gauge' || 'onNode' in families[name as Family]) continue;
    for (const each of combinations(labels)) {
      if (type === 'counter') samples[sampleText(name, each)] = 0;
      else Object.assign(samples, Object.fromEntries(observation(name, each, null)));
    }
  }
  return samples;
}

/**
 * Renders samples in the text format of Prometheus, version 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Those of unknown families, which another version of
 * the service has left, are not shown.
 */
export function exposition(samples: Samples): string {
  const byName = Map.groupBy(Object.entries(samples), ([sample]) => sample.replace(/\{.*$/, ''));
  const parts = Object.entries(families).map(([name, { type, help }]) => {
    const names =
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
    const own = names.flatMap((one) => byName.get(one) ?? []);
    if (own.length === 0) return '';
    const lines = own.map(([sample, value]) => `${sample} ${value}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  });
  return parts.join('');
}

function increase(sample: string, by: number): void {
  news.set(sample, (news.get(sample) ?? 0) + by);
}

function sampleText(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
}

/**
 * What an observation adds to the samples of a histogram, whose buckets are cumulative.
 * @param value null: nothing
 */
function observation(
  name: string,
  labels: Readonly<Record<string, string>>,
  value: number | null,
): [sample: string, by: number][] {
  const { bounds } = families[name as OfType<'histogram'>];
  const counts = (bound: number) => (value !== null && value <= bound ? 1 : 0);
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound): [string, number] => {
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    return [sampleText(`${name}_bucket`, { ...labels, le }), counts(bound)];
  });
  return [
    ...buckets,
    [sampleText(`${name}_sum`, labels), value ?? 0],
    [sampleText(`${name}_count`, labels), value === null ? 0 : 1],
  ];
}

/** All combinations of the values of labels; none if any label has too many. */
function combinations(
  labels: Readonly<Record<string, readonly string[] | null>>,
): Record<string, string>[] {
  let all: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    all = all.flatMap((one) => (values ?? []).map((value) => ({ ...one, [label]: value })));
  }
  return all;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}

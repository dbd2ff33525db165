/** The service's limits. */
export const presetLimits = { count: 50, name: 32, options: 500 } as const;

/** A preset as it is typed. */
export interface PresetDraft {
  readonly name: string;
  readonly options: string;
}

type Presets = Readonly<Record<string, string>>;

/** Pairs of a name and a value, as in `w_400,f_webp`. Which of them exist, the service knows. */
const pairs = /^[a-z]+(?:_bytes)?[_:=][^,&/]+(?:[,&][a-z]+(?:_bytes)?[_:=][^,&/]+)*$/;

/** Whether options are complete enough to ask the service for an image. */
export function isComplete(options: string): boolean {
  return options === '_' || pairs.test(options);
}

/** Messages by field. */
export interface PresetErrors {
  readonly name?: string;
  readonly options?: string;
}

/**
 * Errors that are detected without a request to the service.
 * @param edited the name of the preset that is edited; null: it is a new one
 */
export function presetErrors(
  { name, options }: PresetDraft,
  presets: Presets,
  edited: string | null,
): PresetErrors {
  const isName = /^[a-z0-9-]+$/.test(name) && name.length <= presetLimits.name;
  const isTaken = name !== edited && Object.hasOwn(presets, name);
  return {
    ...(!isName && { name: `Use 1 to ${presetLimits.name} of a–z, 0–9 and hyphens.` }),
    ...(isTaken && { name: 'There is a preset of this name already.' }),
    ...(!isComplete(options) && { options: 'Enter options as in a URL, such as w_400,h_300.' }),
  };
}

/** All presets after one was edited or added; it keeps its place, if it still has one. */
export function withPreset(
  presets: Presets,
  { name, options }: PresetDraft,
  edited: string | null,
): Presets {
  const entries = Object.entries(presets);
  const next = [name, options] as const;
  if (edited === null || !Object.hasOwn(presets, edited))
    return Object.fromEntries([...entries, next]);
  return Object.fromEntries(entries.map((entry) => (entry[0] === edited ? next : entry)));
}

export function withoutPreset(presets: Presets, name: string): Presets {
  return Object.fromEntries(Object.entries(presets).filter(([one]) => one !== name));
}

/** An instruction of a Dockerfile: `COPY`, and what follows. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** A stage of a Dockerfile. */
export interface Stage {
  /** The name that others copy from it by. */
  readonly name: string | null;
  /** The image that it begins with. */
  readonly base: string;
  readonly steps: readonly Instruction[];
}

/** Reads a Dockerfile: its stages, the last of which becomes the image. */
export function readDockerfile(text: string): readonly Stage[] {
  const lines = text.replace(/^\s*#.*\n/gm, '').replaceAll('\\\n', ' ');
  const stages: (Stage & { steps: Instruction[] })[] = [];
  for (const line of lines.split('\n').filter((it) => it.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === 'FROM') {
      const [base = '', , stage = null] = rest.split(/\s+/);
      stages.push({ name: stage, base, steps: [] });
    } else {
      const stage = stages.at(-1);
      if (!stage || name === '') throw new Error(`Not understood: ${line}`);
      stage.steps.push({ name, text: rest });
    }
  }
  return stages;
}

/** The words of a command in exec form, `["node", "server.js"]`, also behind options, as in `HEALTHCHECK`. */
export function execForm(text: string): readonly string[] {
  const words: unknown = JSON.parse(text.slice(text.indexOf('[')));
  if (!Array.isArray(words)) throw new Error(`Not in exec form: ${text}`);
  return words.map(String);
}

/** The options of an instruction, `--from=build`, and its other words. */
export function wordsOf(text: string): {
  readonly options: Readonly<Record<string, string>>;
  readonly words: readonly string[];
} {
  const all = text.split(/\s+/);
  const pairs = all.flatMap((word) => {
    const [, name, value] = /^--(\w+)=(.*)$/.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return {
    options: Object.fromEntries(pairs),
    words: all.filter((word) => !word.startsWith('--')),
  };
}

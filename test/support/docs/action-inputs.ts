import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Input {
  readonly name: string;
  readonly description: string;
  readonly default: string;
}

const file = join(import.meta.dirname, '../../../packages/action/action.yml');

/** The inputs declared in action.yml, which is YAML with one level, in which each value is on its own line. */
export function actionInputs(): Input[] {
  const [, block = ''] = /^inputs:\n([\s\S]*?)^\w/m.exec(readFileSync(file, 'utf8')) ?? [];
  return Array.from(block.matchAll(/^ {2}([\w-]+):\n((?: {4}.*\n)+)/gm), ([, name = '', lines]) => {
    const textOf = (key: string) =>
      new RegExp(`^ {4}${key}: "?(.*?)"?$`, 'm').exec(lines ?? '')?.[1] ?? '';
    return { name, description: textOf('description'), default: textOf('default') };
  });
}

/** The inputs as a Markdown table. */
export function inputTable(): string {
  const rows = actionInputs().map(
    (input) =>
      `| \`${input.name}\` | ${input.default === '' ? '' : `\`${input.default}\``} | ${input.description} |`,
  );
  return ['| Input | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** How the code of a language is run, and how to check whether that is possible. */
interface Runtime {
  readonly ending: string;
  readonly run: readonly [string, ...string[]];
  readonly check: readonly [string, ...string[]];
}

const runtimes: Readonly<Record<string, Runtime>> = {
  curl: { ending: 'sh', run: ['sh'], check: ['curl', '--version'] },
  Node: { ending: 'mjs', run: [process.execPath], check: [process.execPath, '--version'] },
  Python: { ending: 'py', run: ['python3'], check: ['python3', '--version'] },
  PHP: { ending: 'php', run: ['php'], check: ['php', '-r', 'curl_version();'] },
  Go: { ending: 'go', run: ['go', 'run'], check: ['go', 'version'] },
  Ruby: { ending: 'rb', run: ['ruby'], check: ['ruby', '-r', 'net/http', '-e', ''] },
};

/** The languages that cannot be run here, by the names of their tabs. */
export const missingLanguages: ReadonlySet<string> = new Set(
  Object.entries(runtimes).flatMap(
    ([
      name,
      {
        check: [command, ...args],
      },
    ]) => (spawnSync(command, args).status === 0 ? [] : [name]),
  ),
);

/** Whether Python lacks the package with which people call services, and which is not part of it. */
export const lacksRequests = spawnSync('python3', ['-c', 'import requests']).status !== 0;

/** The result of a program. */
export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The name of the file that `runCode` writes. */
export function fileOf(language: string, name: string): string {
  return `${name}.${runtimeOf(language).ending}`;
}

/**
 * Runs code in a folder, as a file beside what is there.
 * @param name that of the file, without its ending
 */
export async function runCode(
  language: string,
  code: string,
  { folder, name, env }: { folder: string; name: string; env: Readonly<Record<string, string>> },
): Promise<Outcome> {
  const [command, ...args] = runtimeOf(language).run;
  const file = fileOf(language, name);
  await writeFile(join(folder, file), code);
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return promisify(execFile)(command, [...args, file], options).then(
    ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
    ({ code: status, stdout, stderr }) => ({ status, stdout, stderr }),
  );
}

function runtimeOf(language: string): Runtime {
  const runtime = runtimes[language];
  if (!runtime) throw new Error(`Nothing says how ${language} is run.`);
  return runtime;
}

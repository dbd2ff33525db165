/** A simple command of a shell script: its words without quotes; assignments before it are left out. */
export type Words = readonly [program: string, ...others: string[]];

/** Words that begin or continue a compound command, and say nothing about the command behind them. */
const keywords = new Set([
  'do',
  'done',
  'for',
  'if',
  'then',
  'else',
  'fi',
  '{',
  '}',
  '!',
  'export',
]);

/**
 * The simple commands of a script, also those in substitutions and in functions, in the part of the shell language
 * (POSIX.1-2017 XCU §2) that documentation uses. Variables stay as they are written, except those of `for` loops: the
 * body counts once for each value.
 */
export function commandsOf(script: string): readonly Words[] {
  const loop = /^for (\w+) in ([^;\n]+); do\n([\s\S]*?)\ndone$/m.exec(script);
  if (loop) {
    const [whole, name = '', values = '', body = ''] = loop;
    const bodies = values
      .split(' ')
      .map((value) => body.replaceAll(new RegExp(`\\$${name}\\b|\\$\\{${name}\\}`, 'g'), value));
    return commandsOf(script.replace(whole, () => bodies.join('\n')));
  }
  const commands: string[][] = [[]];
  let word: string | null = null;
  const endWord = () => {
    if (word !== null) commands.at(-1)?.push(word);
    word = null;
  };
  const endCommand = () => {
    endWord();
    commands.push([]);
  };
  const nested: Words[] = [];
  // A comment, a substitution, a quoted or an escaped text, an operator, a space, or any other character.
  const tokens =
    /\\\n|(?<=^|\s)#[^\n]*|\$\(\(.*?\)\)|\$\((?<inner>(?:[^()]|\([^()]*\))*)\)|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|\\(?<escaped>.)|(?<end>\(\)|&&|\|\||[|;&\n()]|(?<=\s)[{}](?=\s|$))|(?<space>\s)|(?<redirection>[<>]+\s*\S+)|(?<other>.)/gs;
  for (const { 0: all, groups = {} } of script.matchAll(tokens)) {
    const { inner, single, double, escaped, end, space, redirection, other } = groups;
    if (inner !== undefined) nested.push(...commandsOf(inner));
    if (double !== undefined) {
      for (const [, within = ''] of double.matchAll(/\$\(((?:[^()]|\([^()]*\))*)\)/g)) {
        if (!within.startsWith('(')) nested.push(...commandsOf(within));
      }
    }
    if (end !== undefined) endCommand();
    else if (space !== undefined) endWord();
    else if (redirection !== undefined || all.startsWith('#') || all === '\\\n') continue;
    else word = (word ?? '') + (single ?? double ?? escaped ?? other ?? all);
  }
  endWord();
  const simple = commands.flatMap((words): Words[] => {
    const at = words.findIndex((each) => !keywords.has(each) && !/^\w+=/.test(each));
    const [program, ...others] = at === -1 ? [] : words.slice(at);
    return program === undefined ? [] : [[program, ...others]];
  });
  return [...simple, ...nested];
}

/** Options of curl that the documentation uses, and whether they take a value. */
const curlOptions: Readonly<Record<string, boolean>> = {
  ...{ '-s': false, '-S': false, '-f': false, '--fail-with-body': false },
  ...{ '-H': true, '-d': true, '-F': true, '-X': true, '-b': true, '-c': true, '-o': true },
  ...{
    '-w': true,
    '--data-binary': true,
    '--user': true,
    '--retry': true,
    '--retry-max-time': true,
  },
};

/** A request that a curl command sends. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  /** The text of a body, or `@` with the name of a file. */
  readonly body: string | null;
  readonly parts: readonly string[];
  /** What it prints about the response. */
  readonly writeOut: string;
}

/**
 * The request of a curl command.
 * @param words those after `curl`
 * @throws Error if there is an option that is not known here
 */
export function curlRequest(words: readonly string[]): CurlRequest {
  const given: [option: string, value: string][] = [];
  const urls: string[] = [];
  for (const rest = [...words]; rest.length > 0; ) {
    const word = rest.shift() ?? '';
    if (!word.startsWith('-')) urls.push(word);
    else {
      const options = word.startsWith('--') ? [word] : [...word.slice(1)].map((one) => `-${one}`);
      for (const option of options) {
        const takesValue = curlOptions[option];
        if (takesValue === undefined) throw new Error(`curl ${option} is not known here`);
        given.push([option, takesValue ? (rest.shift() ?? '') : '']);
      }
    }
  }
  const all = (...names: readonly string[]) =>
    given.flatMap(([option, value]) => (names.includes(option) ? [value] : []));
  const [url = '', ...others] = urls;
  if (others.length > 0) throw new Error(`curl has more than one URL: ${urls.join(' ')}`);
  const [body = null] = all('-d', '--data-binary');
  const parts = all('-F');
  const [method = body !== null || parts.length > 0 ? 'POST' : 'GET'] = all('-X');
  return { method, url, headers: all('-H'), body, parts, writeOut: all('-w').join('') };
}

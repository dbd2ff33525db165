import { parseArgs } from 'node:util';
import { serviceUrl } from '../client/client.ts';
import { defaultCacheFolder } from '../files/cache.ts';
import { identity } from '../identity.ts';
import { type OptimizeOptions, optionNames, optionValues, readOptions } from '../options.ts';

/** A parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'wrong'; readonly message: string }
  | ({ readonly kind: 'run' } & RunCommand);

export interface RunCommand {
  readonly inputs: readonly string[];
  readonly url: string;
  readonly key: string | undefined;
  readonly options: OptimizeOptions;
  readonly out: string | undefined;
  readonly cache: string | false;
  readonly concurrency: number;
  readonly keepTime: boolean;
  readonly watch: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const text = { type: 'string' } as const;
const yes = { type: 'boolean', default: false } as const;

const flags = {
  out: { ...text, short: 'o' },
  format: { ...text, short: 'f' },
  width: { ...text, short: 'w' },
  height: text,
  fit: text,
  target: { ...text, short: 't' },
  'max-bytes': { ...text, short: 'b' },
  quality: { ...text, short: 'q' },
  metadata: text,
  animation: text,
  hdr: text,
  background: text,
  concurrency: { ...text, short: 'c', default: '4' },
  cache: text,
  'no-cache': yes,
  'keep-time': yes,
  watch: yes,
  'dry-run': { ...yes, short: 'n' },
  json: yes,
  help: { ...yes, short: 'h' },
  version: { ...yes, short: 'v' },
} as const;

const maxConcurrency = 32;

/** An API key by mistake among the arguments: it must not be printed. */
const anyKey = /fewer_\w+/g;
const longKey = /fewer_\w{30}/;

/** Parses a command line. Errors come back as `wrong`, with one sentence. */
export function readCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: flags,
      allowPositionals: true,
    });
    if (values.help) return { kind: 'help' };
    if (values.version) return { kind: 'version' };
    const inputs = positionals.filter((each) => each !== '');
    if (inputs.length === 0) throw new RangeError('Name files, folders or globs.');
    const isKeyGiven = inputs.some((each) => longKey.test(each));
    if (isKeyGiven)
      throw new RangeError('An API key belongs into FEWERBYTES_KEY, not among the arguments.');
    if (values.watch && values['dry-run']) {
      throw new RangeError('"--watch" cannot be combined with "--dry-run".');
    }
    for (const name of ['out', 'cache'] as const) {
      if (values[name] === '') throw new RangeError(`"--${name}" needs the name of a folder.`);
    }
    const { FEWERBYTES_URL, FEWERBYTES_KEY, FEWERBYTES_CACHE } = environment;
    const isUrlNeeded = !values['dry-run'];
    if (!FEWERBYTES_URL && isUrlNeeded) {
      throw new RangeError(
        'Set FEWERBYTES_URL to the address of the service, such as https://images.example.',
      );
    }
    return {
      kind: 'run',
      inputs,
      url: serviceUrl(FEWERBYTES_URL || 'http://localhost:8787'),
      key: FEWERBYTES_KEY || undefined,
      options: readOptions(optionTexts(values)),
      out: values.out,
      cache: values['no-cache']
        ? false
        : (values.cache ?? (FEWERBYTES_CACHE || defaultCacheFolder())),
      concurrency: readConcurrency(values.concurrency),
      keepTime: values['keep-time'],
      watch: values.watch,
      dryRun: values['dry-run'],
      json: values.json,
    };
  } catch (error) {
    // parseArgs appends advice about file names that begin with a hyphen
    const [message = ''] = (error as Error).message.split('. To specify');
    const safe = message.replaceAll(anyKey, 'fewer_…');
    return { kind: 'wrong', message: safe.replace(/\.?$/, '.') };
  }
}

/** The flag for an option of the service: hyphens instead of underscores. */
export function flagOf(option: string): string {
  return option.replaceAll('_', '-');
}

function optionTexts(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    optionNames.flatMap((name) => {
      const value = values[flagOf(name)];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function readConcurrency(value: string): number {
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= maxConcurrency) return number;
  throw new RangeError(`"concurrency" cannot be "${value}", but: 1 to ${maxConcurrency}.`);
}

/** The text for `--help`: at most 24 lines of 80 characters, so that it fits a terminal. */
export const help = `npx ${identity.name} [options] <files, folders or globs>

Makes images smaller. Replaces them in place, never by larger ones; a result in
another format is put beside its image.

  -o, --out <folder>      put results there, and leave the images as they are
  -f, --format <name>     ${optionValues.format.words.join(', ')}
  -w, --width, --height   at most so many pixels; --fit inside or cover
  -t, --target <score>    how good it looks: low, medium, high or 30 to 95
  -b, --max-bytes <n>     the best result that is no larger than this
  -q, --quality <value>   auto, lossless, or 1 to 100 on the format’s own scale
  --metadata <which>      none, copyright, all     --animation  keep, first
  --background <#rrggbb>  behind transparency      --hdr        keep, drop
  -c, --concurrency <n>   images at a time (4)     --keep-time  of last change
  --cache <folder>        instead of the user’s    --no-cache   send everything
  --watch                 stay, and optimize what is added or changed
  -n, --dry-run           send and write nothing   --json       a line per file
  -h, --help              -v, --version

FEWERBYTES_URL: the service’s address; FEWERBYTES_KEY: API key, from its cabinet
Exit status: 0 all done, 1 some failed, 2 wrong usage, 3 API key not accepted,
4 quota used up, 130 interrupted. More: the page /docs/cli of the service.
`;

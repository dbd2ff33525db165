import { parseArgs } from 'node:util';
import { optionRules } from '../../../../src/image/engine.ts';
import { serviceUrl } from '../client/client.ts';
import { defaultCacheFolder } from '../files/cache.ts';
import { serviceIn } from '../files/workplace.ts';
import { identity } from '../identity.ts';
import {
  flagOf,
  type OptimizeOptions,
  optionNames,
  readOptions,
  readSetOptions,
  type SetOptions,
} from '../options.ts';
import { printable } from './texts.ts';

/** A parsed command line. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'wrong'; readonly message: string }
  | RunCommand;

export interface RunCommand {
  readonly kind: 'run';
  readonly inputs: readonly string[];
  /** Whether a service does the work, whose address and key these are. */
  readonly service: boolean;
  readonly url?: string;
  readonly key?: string;
  /** Not with sets, which have options of their own. */
  readonly options?: OptimizeOptions;
  readonly set?: SetOptions;
  readonly sizes: string | undefined;
  readonly out: string | undefined;
  readonly inPlace: boolean;
  readonly cache: string | false;
  /** Undefined: as many as are of use. */
  readonly concurrency: number | undefined;
  readonly keepTime: boolean;
  readonly watch: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
  /** Whether the markup of sets is printed. */
  readonly html: boolean;
}

const text = { type: 'string' } as const;
const yes = { type: 'boolean', default: false } as const;

const flags = {
  'in-place': { ...yes, short: 'i' },
  out: { ...text, short: 'o' },
  format: { ...text, short: 'f' },
  width: { ...text, short: 'w' },
  height: text,
  fit: text,
  position: text,
  placeholder: text,
  widths: text,
  formats: text,
  ratio: text,
  html: yes,
  sizes: text,
  target: { ...text, short: 't' },
  'max-bytes': { ...text, short: 'b' },
  quality: { ...text, short: 'q' },
  metadata: text,
  animation: text,
  hdr: text,
  background: text,
  concurrency: { ...text, short: 'c' },
  cache: text,
  'no-cache': yes,
  'keep-time': yes,
  watch: yes,
  service: yes,
  local: yes,
  'dry-run': { ...yes, short: 'n' },
  json: yes,
  help: { ...yes, short: 'h' },
  version: { ...yes, short: 'v' },
} as const;

const exclusive = [
  ['watch', 'dry-run'],
  ['in-place', 'out'],
  ['service', 'local'],
  ['widths', 'width'],
  ['widths', 'height'],
  ['widths', 'format'],
  ['widths', 'in-place'],
  ['html', 'json'],
] as const satisfies readonly (readonly (keyof typeof flags)[])[];

/** What only sets have. */
const ofSets = ['formats', 'ratio', 'html', 'sizes'] as const;

const maxConcurrency = 32;

/** An API key by mistake among the arguments: it must not be printed. */
const anyKey = /fewer_\w+/g;
const longKey = /fewer_\w{30}/;

/** Parses a command line. Errors come back as `wrong`, with one sentence, or the commands that are meant. */
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
    for (const [one, other] of exclusive) {
      if (values[one] && values[other] !== undefined && values[other] !== false) {
        throw new RangeError(`"--${one}" cannot be combined with "--${other}".`);
      }
    }
    for (const name of ofSets) {
      if (values.widths === undefined && values[name] !== undefined && values[name] !== false) {
        throw new RangeError(`"--${name}" needs "--widths".`);
      }
    }
    for (const name of ['out', 'cache'] as const) {
      if (values[name] === '') throw new RangeError(`"--${name}" needs the name of a folder.`);
    }
    const wanted = wantedFrom(values);
    const { FEWERBYTES_CACHE } = environment;
    const isRemote = values.service || (values.local ? false : undefined);
    const service = serviceIn({ service: isRemote }, environment);
    const concurrency = readConcurrency(values.concurrency);
    const places = [values.out, values.widths].some((value) => value !== undefined);
    const isPlaced = places || values['in-place'] || values['dry-run'];
    if (!isPlaced) return { kind: 'wrong', message: placesText(args) };
    return {
      kind: 'run',
      inputs,
      service: service !== null,
      ...(service && { ...service, url: serviceUrl(service.url) }),
      ...wanted,
      sizes: values.sizes,
      out: values.out,
      inPlace: values['in-place'],
      cache: values['no-cache']
        ? false
        : (values.cache ?? (FEWERBYTES_CACHE || defaultCacheFolder())),
      concurrency,
      keepTime: values['keep-time'],
      watch: values.watch,
      dryRun: values['dry-run'],
      json: values.json,
      html: values.html,
    };
  } catch (error) {
    // parseArgs appends advice about file names that begin with a hyphen
    const [message = ''] = (error as Error).message.split('. To specify');
    return { kind: 'wrong', message: withoutKeys(message).replace(/\.?$/, '.') };
  }
}

function withoutKeys(text: string): string {
  return text.replaceAll(anyKey, 'fewer_…');
}

/** What to run instead of a command that does not say where results go, which would be a poor thing to guess. */
function placesText(args: readonly string[]): string {
  const given = withoutKeys(args.map(quoted).join(' '));
  return [
    'Say where the results go: into the place of the images, or into a folder.',
    `  ${identity.name} --in-place ${given}`,
    `  ${identity.name} --out smaller ${given}`,
  ].join('\n');
}

/** An argument as a shell takes it. */
function quoted(argument: string): string {
  const isPlain = /^[\w@%+=:,./-]+$/.test(argument);
  return isPlain ? argument : `'${printable(argument).replaceAll("'", String.raw`'\''`)}'`;
}

/** The options of a set if widths are given, otherwise those of single results. */
function wantedFrom(
  values: Readonly<Record<string, unknown>> & {
    readonly widths?: string;
    readonly formats?: string;
    readonly ratio?: string;
  },
): { readonly options: OptimizeOptions } | { readonly set: SetOptions } {
  const { widths, formats, ratio } = values;
  const texts = optionTexts(values);
  if (widths === undefined) return { options: readOptions(texts) };
  const lists = {
    widths,
    ...(formats !== undefined && { formats }),
    ...(ratio !== undefined && { ratio }),
  };
  return { set: readSetOptions(lists, texts) };
}

function optionTexts(values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    optionNames.flatMap((name) => {
      const value = values[flagOf(name)];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function readConcurrency(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= maxConcurrency) return number;
  throw new RangeError(`"concurrency" cannot be "${value}", but: 1 to ${maxConcurrency}.`);
}

/** The text for `--help`: at most 24 lines of 80 characters, so that it fits a terminal. */
export const help = `${identity.name} [options] <files, folders or globs>   -h, --help   -v, --version

Makes images smaller, never larger, on this machine: nothing leaves it unless a
service is named. Of metadata, only colours and orientation stay by default.

  -i, --in-place          replace the images; other formats go beside them
  -o, --out <folder>      put results there, and leave the images as they are
  -f, --format <name>     ${optionRules.format.words.join(', ')}
  -w, --width, --height   a box in pixels; --fit inside, cover, contain,
                          outside, fill; --position top-left, x,y, auto, …
  --widths 400,800        a set beside each image; --formats avif,webp; --ratio
                          16:9; --html [--sizes <text>]  print its <picture>
  -t, --target <score>    how good it looks: low, medium, high or 30 to 95
  -b, --max-bytes <n>     the best result that is no larger than this
  -q, --quality <value>   auto, lossless, or 1 to 100 on the format’s own scale
  --metadata <which>      none, copyright, all     --animation  keep, first
  --background <#rrggbb>  behind transparency      --hdr        keep, drop
  -c, --concurrency <n>   images at a time         --keep-time  of last change
  --cache <folder>        instead of the user’s    --no-cache   do all anew
  --watch                 go on with new images    -n, --dry-run  write nothing
  --placeholder thumbhash as --json shows it       --json       a line per file
  --service, --local      send to FEWERBYTES_URL with FEWERBYTES_KEY, or do not
Exit: 0 done, 1 failures, 2 usage, 3 key, 4 quota, 130 stopped. More: /docs/cli
`;

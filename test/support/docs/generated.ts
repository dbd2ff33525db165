import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { help } from '../../../packages/fewerbytes/src/command/flags.ts';
import { ownErrors } from '../../../packages/fewerbytes/src/errors.ts';
import {
  type DeliverySnippet,
  deliverySnippets,
} from '../../../src/cabinet/text/delivery-snippets.ts';
import { countText, sizeText } from '../../../src/cabinet/text/formatting.ts';
import { type Snippet, snippets } from '../../../src/cabinet/text/snippets.ts';
import {
  definitionOf,
  type ErrorCode,
  errorAreas,
  errorCodes,
  errorTable,
  membersOf,
} from '../../../src/errors.ts';
import { pointPattern } from '../../../src/image/engine.ts';
import { outputFacts, sourcesOf } from '../../../src/image/formats/facts.ts';
import type { FormatFacts } from '../../../src/image/formats/format-facts.ts';
import { nodeSettings } from '../../../src/node/settings.ts';
import { problemMembers } from '../../../src/problem-members.ts';
import { commonHeaders, type OwnHeader } from '../../../src/routes/http/openapi-parts.ts';
import { problemExample } from '../../../src/routes/http/problems.ts';
import { imageHeaders } from '../../../src/routes/optimize/picture-headers.ts';
import { optimize } from '../../../src/routes/optimize.ts';
import { settings } from '../../../src/settings.ts';
import { families } from '../../../src/telemetry/families.ts';
import { faults } from '../../../src/telemetry/faults.ts';
import { largestPicture, pictureKinds } from '../inspections.ts';
import { inputTable } from './action-inputs.ts';
import { requestsPerMinute } from './facts.ts';
import { logMembers } from './log-members.ts';

const origin = 'http://localhost:8787';

/**
 * The contents of `<!-- generated: name -->` in `docs/`: Markdown generated from tables in the code. Text after the
 * name is passed as an argument, as in `<!-- generated: snippets ?format=webp&width=800 -->`.
 */
export const generated: Readonly<Record<string, (argument: string) => string>> = {
  snippets: callTabs,
  'delivery-snippets': deliveryTabs,
  options: optionsTable,
  'answer-headers': answerHeadersTable,
  'example-error': exampleError,
  errors: errorEntries,
  megapixels: megapixelTable,
  'rate-limits': rateLimitTable,
  variables: () => settingsTable((kind) => kind === 'variable'),
  secrets: () => settingsTable((kind) => kind !== 'variable'),
  'node-settings': () =>
    table(
      ['Name', 'Default', 'Meaning'],
      Object.entries(nodeSettings).map(([name, setting]) => [
        code(name),
        'defaultInWords' in setting ? setting.defaultInWords : setting.default || 'empty',
        setting.description,
      ]),
    ),
  targets: targetPictures,
  'log-members': () =>
    table(
      ['Member', 'What it says'],
      Object.entries(logMembers).map(([name, text]) => [code(name), text]),
    ),
  faults: () =>
    table(
      ['Event', 'What it means', 'Other members'],
      Object.entries<(typeof faults)[keyof typeof faults]>(faults).map(([event, fault]) => {
        const members = [...fault.members, ...('optional' in fault ? fault.optional : [])];
        return [code(event), fault.meaning, members.map(code).join(', ')];
      }),
    ),
  metrics: () =>
    table(
      ['Metric', 'What it says'],
      Object.entries(families).map(([name, { type, labels, help, ...others }]) => {
        const names = Object.keys(labels).map(code).join(', ');
        const parts = [
          help,
          ...(names ? [`Labels: ${names}.`] : []),
          ...(type === 'histogram' ? ['A histogram.'] : []),
          ...('onNode' in others ? ['On Node only.'] : []),
        ];
        return [code(name), parts.join(' ')];
      }),
    ),
  'action-inputs': inputTable,
  'cli-help': () => `\`\`\`text title="--help"\n${help.trimEnd()}\n\`\`\``,
  'cli-errors': () =>
    table(
      ['Code', 'What to do'],
      Object.entries(ownErrors).map(([name, text]) => [code(name), text]),
    ),
};

/** Rate limits of wrangler.toml, in words. */
export const rateLimits = [
  {
    binding: 'FAILED_TOKEN_RATE_LIMIT',
    what: 'Keys that do not work, and made-up session cookies',
    who: 'network',
  },
  {
    binding: 'REQUEST_CODE_RATE_LIMIT',
    what: 'Requesting codes',
    who: 'known browser, or else network',
  },
  {
    binding: 'VERIFY_CODE_RATE_LIMIT',
    what: 'Entering codes',
    who: 'known browser, or else network',
  },
  { binding: 'WEBHOOK_RATE_LIMIT', what: 'Events from Stripe', who: 'network' },
] as const;

/**
 * The call in all languages, as tabs.
 * @param query its options, such as `?format=webp&width=800`; empty for none
 */
function callTabs(query: string): string {
  const calls = snippets(origin, null, query.replace(/^\?/, ''));
  return tabs(`POST /v1/optimize${query}`, calls);
}

/**
 * How images by URL get into a page, as tabs.
 * @param kind `signed`: how their URLs are signed
 */
function deliveryTabs(kind: string): string {
  const signed = kind === 'signed';
  const image = { origin, slug: 'shop', path: 'cups/blue.jpg', signed };
  return tabs(signed ? 'Signing in' : 'In a page', deliverySnippets(image));
}

function tabs(label: string, all: readonly (Snippet | DeliverySnippet)[]): string {
  const fences = all.map(
    ({ name, language, code }) => `**${name}**\n\n\`\`\`${language}\n${code}\n\`\`\``,
  );
  return `<!-- tabs: ${label} -->\n\n${fences.join('\n\n')}\n\n<!-- /tabs -->`;
}

/** A parameter of the OpenAPI document; only the members that are used here. */
interface OptionParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: OptionSchema;
}

interface OptionSchema {
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly OptionSchema[];
}

function optionsTable(): string {
  const info = { title: '', version: '' };
  const { paths } = optimize.getOpenAPI31Document({ openapi: '3.1.0', info });
  const parameters = paths?.['/v1/optimize']?.post?.parameters as unknown as OptionParameter[];
  const rows = parameters.map(({ name, description, schema }) => {
    // The first sentence; the rest is below the table.
    const [summary = ''] = /^.*?\.(?= |$)/.exec(description) ?? [];
    const values = valuesOf(schema).join(', ');
    return [`[${code(name)}](#${name})`, values, schema.default ?? 'none', summary];
  });
  return table(['Option', 'Values', 'Default', 'What it is'], rows);
}

function valuesOf({ enum: values, minimum, maximum, pattern, anyOf }: OptionSchema): string[] {
  if (anyOf) return anyOf.flatMap(valuesOf);
  if (values) return values.map(code);
  if (pattern === '^#[0-9A-Fa-f]{6}$') return [code('#rrggbb')];
  if (pattern === pointPattern.source) return [code('x,y')];
  const least = code(String(minimum));
  return [maximum === undefined ? `${least} or more` : `${least} to ${code(String(maximum))}`];
}

function answerHeadersTable(): string {
  const contentType = {
    'Content-Type': { description: 'What the image is now.', example: 'image/jpeg' },
  };
  const everywhere = {
    'Request-Id': commonHeaders['Request-Id'],
    'Cache-Control': commonHeaders['Cache-Control'],
  };
  const headers: readonly (readonly [string, Pick<OwnHeader, 'description' | 'example'>])[] =
    Object.entries({ ...contentType, ...imageHeaders, ...everywhere });
  return table(
    ['Header', 'Example', 'Meaning'],
    headers.map(([name, { description, example }]) => [
      code(name),
      code(String(example)),
      description,
    ]),
  );
}

/** The table of images created by scripts/target-pictures.ts. */
function targetPictures(): string {
  const folder = join(import.meta.dirname, '../../../docs/pictures');
  const figures = JSON.parse(readFileSync(join(folder, 'targets.json'), 'utf8')) as {
    original: { bytes: number };
    targets: { name: string; score: number; bytes: number }[];
  };
  const picture = (name: string, alt: string) => `![${alt}](pictures/target-${name}.webp)`;
  return [
    `**The original**, ${sizeText(figures.original.bytes)}`,
    picture('original', 'A red macaw’s face, as it was sent'),
    ...figures.targets.flatMap(({ name, score, bytes }) => [
      `**${code(`target=${name}`)}**, score ${score.toFixed(1)}, ${sizeText(bytes)}`,
      picture(name, `The same with target=${name}`),
    ]),
  ].join('\n\n');
}

function exampleError(): string {
  const name = 'quota_exceeded';
  const body = { ...problemExample(name).value, type: `${origin}/docs/errors#${name}` };
  return `\`\`\`json title="HTTP/1.1 ${errorTable[name].status} Payment Required"\n${JSON.stringify(body, null, 2)}\n\`\`\``;
}

function errorEntries(): string {
  return errorAreas
    .map(({ id, title }) => {
      const entries = errorCodes.filter((one) => errorTable[one].area === id).map(errorEntry);
      return [`## ${title}`, ...entries].join('\n\n');
    })
    .join('\n\n');
}

/** Search terms of the errors that are met first. */
const errorKeywords: Partial<Record<ErrorCode, string>> = {
  invalid_api_key: '401 unauthorized api key not working',
  quota_exceeded: '402 payment required',
};

function errorEntry(name: ErrorCode): string {
  const { status, title, when, help } = definitionOf(name);
  const keywords = errorKeywords[name];
  const members = membersOf(name).map(
    (member) => `- ${code(member)}: ${problemMembers[member].text}`,
  );
  return [
    `### ${code(name)}`,
    ...(keywords ? [`<!-- keywords: ${keywords} -->`] : []),
    `**${status} ${title}**`,
    when,
    `**What to do:** ${help}`,
    ...(members.length > 0 ? ['The body has further members:', members.join('\n')] : []),
  ].join('\n\n');
}

/** The largest images, as printed by `npm run limits`. */
function megapixelTable(): string {
  const megapixels = (pixels: number) => (pixels / 1e6).toFixed(1);
  const results = outputFacts.filter(({ output }) => output.holdsStills);
  const rows = Object.entries(pictureKinds).map(([source, make]) => {
    const { type: own } = make({ width: 8, height: 8 });
    const isPossible = (facts: FormatFacts) =>
      sourcesOf(facts)?.some(({ type }) => type === own) ?? true;
    const largest = results.map((facts) =>
      isPossible(facts) ? megapixels(largestPicture(make, facts.type)) : '–',
    );
    const reduced = results
      .filter(isPossible)
      .map(({ type }) => largestPicture(make, type, { width: 800 }));
    return [source, ...largest, megapixels(Math.min(...reduced))];
  });
  return table(
    ['From ↓ to →', ...results.map(({ name }) => name), 'Reduced to 800 px'],
    rows,
    true,
  );
}

function rateLimitTable(): string {
  const rows = rateLimits.map(({ binding, what, who }) => [
    what,
    who,
    countText(requestsPerMinute(binding)),
  ]);
  return table(['What', 'For each', 'Per minute'], rows);
}

function settingsTable(isShown: (kind: string) => boolean): string {
  const rows = Object.entries(settings)
    .filter(([, { kind }]) => isShown(kind))
    .map(([name, setting]) => [code(name), defaultOf(setting), setting.description]);
  return table(['Name', 'Default', 'Meaning'], rows);
}

function defaultOf(setting: (typeof settings)[keyof typeof settings]): string {
  if ('defaultInWords' in setting) return setting.defaultInWords;
  if (setting.kind === 'variable') return setting.default === '' ? 'empty' : setting.default;
  return setting.kind === 'required-secret' ? 'required' : 'optional';
}

function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  isNumeric = false,
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rule = head.map((_, i) => (isNumeric && i > 0 ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

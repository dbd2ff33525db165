import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../../packages/fewerbytes/src/command/flags.ts';
import { identity } from '../../../packages/fewerbytes/src/identity.ts';
import { createApp } from '../../../src/app.ts';
import { apiDocument } from '../../../src/routes/openapi.ts';
import { configWith } from '../../support/config.ts';
import { commandsOf, curlRequest, type Words } from '../../support/docs/commands.ts';
import {
  type OpenApiDocument,
  type Schema,
  withoutReferences,
} from '../../support/openapi-checker.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

interface Documented {
  /** Path of the Markdown file. */
  readonly page: string;
  readonly words: Words;
  readonly line: string;
}

const pages = globSync('{*.md,{docs,src,migrations,bench,test}/**/*.md,packages/*/*.md}', {
  cwd: root,
}).sort();
const documented: readonly Documented[] = pages.flatMap((page) =>
  scriptsOf(textOf(page))
    .flatMap(commandsOf)
    .map((words) => ({ page, words, line: words.join(' ') })),
);
const of = (program: string) => documented.filter(({ words }) => words[0] === program);

/** Shell code in fences, and commands between backticks. */
function scriptsOf(markdown: string): string[] {
  const fences = Array.from(
    markdown.matchAll(/^```sh[^\n]*\n([\s\S]*?)\n```$/gm),
    ([, code = '']) => code,
  );
  const spans = markdown
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/`((?:\w+=\S+ )*(?:npm|npx|node|curl|fewerbytes) [^`]+)`/g);
  // `[…]` is what can be left out.
  return [...fences, ...Array.from(spans, ([, code = '']) => code.replaceAll(/[[\]]/g, ''))];
}

/** The package, as documentation names what the service serves (scripts/docs/markdown.ts). */
const servedPackage = 'http://localhost:8787{{package}}';

/** What the guides of CONTRIBUTING.md make up as they go. */
const examples = /exports|qoi/;

/** Files that a reader has, rather than the repository. */
const isOwn = (path: string) => !path.includes('/') || /^(\$|\.\/?$)/.test(path);

describe('paths in the Markdown of this repository', () => {
  const folders = 'bench|docs|migrations|packages|scripts|src|test';
  const paths = pages.flatMap((page) =>
    Array.from(
      textOf(page)
        .replace(/^```[\s\S]*?^```$/gm, '')
        .matchAll(new RegExp(`\`((?:${folders})/[^\`\\s]*)\``, 'g')),
      ([, path = '']) => ({ page, path }),
    ).filter(({ path }) => !/[<>*…{]/.test(path) && !examples.test(path)),
  );

  it('exist', () => {
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter(({ path }) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('npm commands of the documentation', () => {
  const scripts: Readonly<Record<string, string>> = JSON.parse(textOf('package.json')).scripts;
  const builtIn = new Set(['install', 'pack', 'publish']);

  it.each(of('npm'))('exist, with their options and files: $page: $line', ({ page, words }) => {
    const [, ...rest] = words;
    const [name = '', ...others] = rest.filter((word) => !['run', '-s', '-D', '--'].includes(word));
    const installed = others.filter((word) => !word.startsWith('-'));
    // never by a name, since the registry does not have the package
    if (name === 'install' && installed.length > 0) {
      expect([[`./${identity.name}-${identity.version}.tgz`], [servedPackage]]).toContainEqual(
        installed,
      );
    }
    if (builtIn.has(name)) return;
    const own = page.startsWith('packages/')
      ? JSON.parse(textOf(join(dirname(page), 'package.json'))).scripts
      : {};
    const script = own[name] ?? scripts[name];
    expect(script, `there is no script ${name}`).toBeDefined();
    expect(others.filter((word) => word.startsWith('-')).filter(isLost(rest))).toEqual([]);
    for (const option of optionsOf(others)) expect(sourceOf(script)).toMatch(option);
    for (const path of others) expect(isOwn(path) || existsOrIsUnnamed(path), path).toBe(true);
  });

  /** Whether npm takes an option for its own, because it is not behind `--`. */
  function isLost(rest: readonly string[]) {
    const separator = rest.indexOf('--');
    return (word: string) => separator === -1 || rest.indexOf(word) < separator;
  }

  /** The source of a script with the modules beside it that it imports. */
  function sourceOf(script: string): string {
    const [path = ''] = /(?:scripts|bench)\/[\w/-]+\.ts$/.exec(script) ?? [];
    if (path === '') return '';
    const source = textOf(path);
    const imported = Array.from(source.matchAll(/from '(\.[^']+)'/g), ([, name = '']) =>
      textOf(join(dirname(path), name)),
    );
    return [source, ...imported].join('\n');
  }

  it('name parts of the benchmark that there are', () => {
    const parts = globSync('bench/**/*.ts', { cwd: root }).flatMap((path) =>
      Array.from(textOf(path).matchAll(/^ {2}name: '([\w-]+)',\n/gm), ([, name]) => name),
    );
    for (const { words } of of('npm')) {
      const at = words.indexOf('--only');
      if (at !== -1)
        expect(parts).toEqual(expect.arrayContaining((words[at + 1] ?? '').split(',')));
    }
  });
});

describe('npx commands of the documentation', () => {
  const wrangler = textOf('node_modules/wrangler/wrangler-dist/cli.js');
  const known = new Set(
    Array.from(wrangler.matchAll(/\bcommand: "(wrangler [\w -]+)"/g), ([, name = '']) => name),
  );

  it.each(of('npx'))('exist, with their options: $page: $line', ({ words: [, ...all] }) => {
    const at = all.findIndex((word) => !word.startsWith('-'));
    const [tool = '', ...rest] = all.slice(at);
    for (const option of all.slice(0, at)) {
      expect(['-y', '--yes', `--package=${servedPackage}`]).toContain(option);
    }
    if (tool === identity.name) {
      expectUsage(rest);
    } else if (tool === 'vitest') {
      for (const path of rest.slice(1)) expect(existsSync(join(root, path)), path).toBe(true);
    } else {
      expect(tool).toBe('wrangler');
      const names = rest.map((_, i) => ['wrangler', ...rest.slice(0, i + 1)].join(' '));
      expect(
        names.some((name) => known.has(name)),
        names.at(-1),
      ).toBe(true);
      for (const option of optionsOf(rest)) expect(wrangler).toMatch(option);
    }
  });
});

describe('commands of the package in the documentation', () => {
  it.each(of(identity.name))('are right usage: $page: $line', ({ words }) => {
    expectUsage(words.slice(1));
  });
});

function expectUsage(args: readonly string[]): void {
  const environment = { FEWERBYTES_URL: 'http://localhost:8787', FEWERBYTES_KEY: 'fewer_…' };
  expect(readCommand(args, environment)).not.toMatchObject({ kind: 'wrong' });
}

/** How the options of a command are written where they are defined. */
function optionsOf(words: readonly string[]): readonly RegExp[] {
  return words.flatMap((word) => {
    const [, name] = /^--([\w-]+)/.exec(word) ?? [];
    return name === undefined ? [] : [new RegExp(`(?:'--${name}'|["']?\\b${name}["']?: \\{)`)];
  });
}

function existsOrIsUnnamed(path: string): boolean {
  return examples.test(path) || /[<>…@*]/.test(path) || existsSync(join(root, path));
}

describe('calls of the documentation', () => {
  const document: OpenApiDocument = withoutReferences(
    JSON.parse(JSON.stringify(apiDocument(createApp(configWith({})), 'Service'))),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);

  interface Operation {
    readonly parameters?: readonly { readonly name: string; readonly in: string; schema: Schema }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
    readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
  }

  /** The operation that a request is for. */
  function operationOf(method: string, path: string): Operation | undefined {
    const template = Object.keys(document.paths).find((one) =>
      new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    );
    return document.paths[template ?? '']?.[method.toLowerCase()] as unknown as Operation;
  }

  /** A value of the type that its schema takes. */
  function isAllowed(schema: Schema | undefined, text: string): boolean {
    const values = /^\d+$/.test(text) ? [text, Number(text)] : [text];
    return schema !== undefined && values.some((value) => ajv.validate(schema, value));
  }

  /** A function that stands for curl, such as `api`, is called with its arguments. */
  const calls = documented.flatMap(({ page, words, line }) => {
    const [program, ...rest] = words;
    const isCall = program === 'curl' || (program === 'api' && rest.length > 0);
    return isCall && !rest.includes('$@') ? [{ page, line, request: curlRequest(rest) }] : [];
  });

  it.each(calls)('are allowed by the OpenAPI document: $page: $line', ({ request }) => {
    const { url, body, parts, writeOut } = request;
    if (body?.startsWith('@')) {
      const path = body.slice(1);
      expect(isOwn(path) || existsSync(join(root, path)), path).toBe(true);
    }
    // An address that an earlier response named, and Tinify's calls.
    if (url.startsWith('$') || new URL(url).pathname === '/shrink') return;
    const { pathname, searchParams } = new URL(url);
    const operation = operationOf(request.method, pathname);
    expect(operation, `${request.method} ${pathname}`).toBeDefined();
    const parameters = operation?.parameters ?? [];
    for (const [name, value] of searchParams) {
      const { schema } = parameters.find((one) => one.in === 'query' && one.name === name) ?? {};
      expect(isAllowed(schema, value), `${name}=${value}`).toBe(true);
    }
    const content = operation?.requestBody?.content ?? {};
    const form = content['multipart/form-data']?.schema as
      | { readonly properties?: Readonly<Record<string, Schema>> }
      | undefined;
    for (const part of parts) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(part) ?? [];
      const schema = form?.properties?.[name];
      expect(value.startsWith('@') ? schema !== undefined : isAllowed(schema, value), part).toBe(
        true,
      );
    }
    if (body?.startsWith('{')) {
      const schema = content['application/json']?.schema ?? {};
      expect(ajv.validate(schema, JSON.parse(body.replaceAll("'", ''))), ajv.errorsText()).toBe(
        true,
      );
    }
    const headers = Object.values(operation?.responses ?? {}).flatMap((one) =>
      Object.keys(one.headers ?? {}).map((name) => name.toLowerCase()),
    );
    for (const [, name] of writeOut.matchAll(/%header\{([\w-]+)\}/g))
      expect(headers).toContain(name);
  });

  it('are enough to be all of them', () => {
    expect(calls.length).toBeGreaterThan(40);
    expect(of('npm').length).toBeGreaterThan(60);
  });
});

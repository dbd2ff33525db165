/**
 * Compares the responses of two versions of the service, or of the service in workerd and on Node.
 *
 *     node scripts/compare-answers.ts record --checkout <folder> --corpus <folder> --out before.jsonl [--every 10] [--home node]
 *     node scripts/compare-answers.ts compare before.jsonl after.jsonl [--partial]
 *
 * `record` starts the service of a checkout whose packages are installed, with empty data of its own, sends it every
 * file of a corpus with each of its option sets and a list of requests that are refused, and writes one JSON object per
 * response. `compare` reports the differences by kind and exits with status 1 if there are any, except in the
 * wording of problem documents; with `--partial`, one of the files may contain fewer calls. Only the commands
 * (`scripts/start.ts`, with `--home node` `scripts/serve.ts`, and `scripts/key.ts`) and the HTTP interface of the
 * checkout are used, so any two versions can be compared.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from './local/free-port.ts';

/** A request; the responses of two recordings are matched by its name. */
interface Call {
  readonly name: string;
  readonly path: string;
  readonly init: () => Promise<RequestInit>;
  /** Whether to send no API key. */
  readonly anonymous?: boolean;
}

/** A recorded response. */
interface Answer {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Length and hash of the body, except for problem documents. */
  readonly body?: { readonly length: number; readonly sha256: string };
  /** The problem document without its wording and without volatile members. */
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly wording?: Readonly<Record<string, unknown>>;
}

/** Headers that differ each time, or depend on earlier requests. */
const volatileHeaders = [
  'date',
  'request-id',
  'server-timing',
  'quota-remaining',
  'connection',
  'keep-alive',
];

const optionSets = [
  ...['keep', 'auto', 'jpeg', 'png', 'webp', 'avif'].flatMap((format) => [
    `format=${format}`,
    `format=${format}&width=400`,
  ]),
  'metadata=all',
  'hdr=drop',
  'target=low',
  'format=webp&max_bytes=20000',
  'format=webp&quality=lossless',
];

/** A user has 500 free files per month; after this many calls, a new user is created. */
const callsPerUser = 400;

/** A PNG of one pixel. */
const tinyPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checkout: { type: 'string', default: '.' },
    corpus: { type: 'string', default: process.env.CORPUS ?? '' },
    out: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    services: { type: 'string', default: '2' },
    home: { type: 'string', default: 'workerd' },
    partial: { type: 'boolean', default: false },
  },
});

const [command, before, after] = positionals;
if (command === 'record' && options.corpus && options.out) {
  await record();
} else if (command === 'compare' && before && after) {
  process.exitCode = await compare(before, after);
} else {
  console.error(`Usage:
  node scripts/compare-answers.ts record --checkout <folder> --corpus <folder> --out <file> [--every <n>] [--home workerd|node]
  node scripts/compare-answers.ts compare <file> <file> [--partial]`);
  process.exitCode = 2;
}

/* ---------- record ---------- */

async function record(): Promise<void> {
  const checkout = resolve(options.checkout);
  const corpus = resolve(options.corpus);
  const all = await readdir(corpus, { recursive: true, withFileTypes: true });
  const files = all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .filter((_, index) => index % Number(options.every) === 0);
  const queue = [...refusedCalls(), ...files.flatMap((file) => callsFor(corpus, file))];
  const total = queue.length;
  const out = createWriteStream(options.out);
  let done = 0;
  // Each service handles one request at a time, so responses do not depend on the load, and each service keeps one core
  // busy.
  const services: Service[] = [];
  try {
    for (let i = 0; i < Number(options.services); i += 1) services.push(await start(checkout));
    await Promise.all(
      services.map(async (service) => {
        for (let call = queue.shift(); call; call = queue.shift()) {
          out.write(`${JSON.stringify(await answerTo(call, service))}\n`);
          done += 1;
          if (done % 100 === 0) console.error(`${done} of ${total}`);
        }
      }),
    );
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    out.end();
    await once(out, 'close');
  }
  console.error(`${done} answers in ${options.out}`);
}

function callsFor(corpus: string, file: string): readonly Call[] {
  const name = file.slice(corpus.length + 1);
  const bytes = async () => new Uint8Array(await readFile(file));
  return [
    ...optionSets.map((query) => ({
      name: `${name} ${query}`,
      path: `/v1/optimize?${query}`,
      init: async () => ({ method: 'POST', body: await bytes() }),
    })),
    {
      name: `${name} as a form`,
      path: '/v1/optimize',
      init: async () => ({
        method: 'POST',
        body: form([
          ['width', '64'],
          ['file', new File([await bytes()], basename(file))],
          ['format', 'jpeg'],
          ['background', '#ffffff'],
        ]),
      }),
    },
  ];
}

/** Calls whose responses do not depend on the corpus; most of them are refused. */
function refusedCalls(): readonly Call[] {
  const picture = new Uint8Array(tinyPicture);
  const optimize = (name: string, query: string, init: RequestInit = { body: picture }): Call => ({
    name,
    path: `/v1/optimize${query}`,
    init: async () => ({ method: 'POST', ...init }),
  });
  const json = (name: string, body: string, query = '') =>
    optimize(`JSON: ${name}`, query, { headers: { 'Content-Type': 'application/json' }, body });
  const fields = (name: string, entries: readonly Field[], query = '') =>
    optimize(`form: ${name}`, query, { body: form(entries) });
  const rawForm = (name: string, body: string, type = 'multipart/form-data; boundary=x') =>
    optimize(`form: ${name}`, '', { headers: { 'Content-Type': type }, body });
  const file: Field = ['file', new File([picture], 'a.png')];
  const other = (name: string, path: string, init: RequestInit = {}): Call => ({
    ...{ name, path, anonymous: true },
    init: async () => init,
  });
  const posted = (body: unknown, headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return [
    ...[
      ...['format=tiff', 'format=', 'format=jpeg', 'format=jpeg&background=red', 'colour=red'],
      ...['quality=0', 'quality=101', 'quality=high', 'format=png&quality=lossless', 'quality=50'],
      ...['width=0', 'width=16385', 'width=1.5', 'width=5&width=6', 'height=-1', 'fit=cover'],
      ...['fit=cover&width=1&height=1', 'fit=outside', 'metadata=some', 'background=%23ffffff'],
      ...['format=jpeg&background=%23ffffff', 'format=jpeg&quality=lossless', 'format=avif'],
      ...['key=fewer_0000000000000000000000000000000000000000', 'format=auto', 'width=1'],
    ].map((query) => optimize(`query: ${query}`, `?${query}`)),
    optimize('empty body', '', { body: new Uint8Array() }),
    optimize('text', '', { body: 'Not a picture at all.' }),
    optimize('truncated', '', { body: picture.slice(0, 50) }),
    ...['', '{', '[]', '{}', '"url"', '{"url":1}', '{"url":""}', '{"url":"x","url":"y"}'].map(
      (body) => json(body, body),
    ),
    ...[
      ...['ftp://example.com/a.png', 'https://localhost/a.png', 'https://10.0.0.1/a.png'],
      ...['https://user:secret@example.com/a.png', 'https://example.com:8443/', 'http://[::1]/'],
      ...['https://printer.local/', 'https://0x7f.1/', 'nothing', 'https://'],
    ].map((url) => json(url, JSON.stringify({ url }))),
    json('option of a wrong type', '{"url":"https://localhost/a.png","width":"5"}'),
    json('unknown option', '{"url":"https://example.com/a.png","size":5}'),
    json('query beside it', '{"url":"https://example.com/a.png"}', '?width=5'),
    fields('file alone', [file]),
    fields('options after the file', [file, ['format', 'webp'], ['width', '1']]),
    fields('no file', [['format', 'webp']]),
    fields('two files', [file, file]),
    fields('a file that is text', [['file', 'text']]),
    fields('unknown field', [file, ['size', '5']]),
    fields('field twice', [['width', '5'], ['width', '6'], file]),
    fields('wrong value', [['width', 'wide'], file]),
    fields('query beside it', [file], '?width=5'),
    rawForm('no boundary', '--x--\r\n', 'multipart/form-data'),
    rawForm('empty', ''),
    rawForm('nothing but its end', '--x--\r\n'),
    rawForm('not closed', '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc'),
    rawForm('part without a name', '--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n'),
    rawForm('part without headers', '--x\r\n\r\nabc\r\n--x--\r\n'),
    other('optimize: GET', '/v1/optimize'),
    other('optimize: OPTIONS', '/v1/optimize', { method: 'OPTIONS' }),
    other('optimize: no key', '/v1/optimize', { method: 'POST', body: picture }),
    other('optimize: wrong key', '/v1/optimize', {
      ...{ method: 'POST', body: picture },
      headers: { Authorization: 'Bearer fewer_wrong' },
    }),
    other('optimize: Basic', '/v1/quota', { headers: { Authorization: 'Basic eDp5' } }),
    ...[
      ...['/v1/health', '/v1/me', '/v1/keys', '/v1/keys/key_none', '/v1/quota', '/v1/statistics'],
      ...['/v1/statistics?from=yesterday', '/v1/payments', '/v1/payments/packs', '/v1/none'],
    ].map((path) => other(`GET ${path}`, path)),
    other('HEAD /v1/health', '/v1/health', { method: 'HEAD' }),
    other('DELETE /v1/health', '/v1/health', { method: 'DELETE' }),
    ...[
      ...['{}', '{"email":5}', '{"email":""}', '{"email":"nobody"}', '{"email":"a@nowhere.test"}'],
      ...['{', '[]', '{"email":"a@gmail.com","x":1}'],
    ].map((body) =>
      other(`request-code ${body}`, '/v1/auth/request-code', {
        ...{ method: 'POST', body },
        headers: { 'Content-Type': 'application/json' },
      }),
    ),
    other(
      'verify-code: wrong',
      '/v1/auth/verify-code',
      posted({ email: 'a@gmail.com', code: '000000' }),
    ),
    other('verify-code: malformed', '/v1/auth/verify-code', posted({ email: 'a@gmail.com' })),
    ...[
      ...['/v1/auth/request-code', '/v1/auth/logout', '/v1/keys', '/v1/payments/checkout'],
      '/v1/payments/webhook',
    ].flatMap((path) => [
      other(`POST ${path}: nobody`, path, posted({})),
      other(`POST ${path}: cross-site`, path, posted({}, { Origin: 'https://evil.example' })),
      other(`POST ${path}: cross-site fetch`, path, posted({}, { 'Sec-Fetch-Site': 'cross-site' })),
    ]),
  ];
}

type Field = readonly [name: string, value: string | File];

function form(entries: readonly Field[]): FormData {
  const data = new FormData();
  for (const [name, value] of entries) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, value.name);
  }
  return data;
}

async function answerTo(call: Call, service: Service): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const { Authorization } = call.anonymous
      ? { Authorization: null }
      : { Authorization: `Bearer ${await service.key()}` };
    const init = await call.init();
    const headers = new Headers(init.headers);
    if (Authorization !== null) headers.set('Authorization', Authorization);
    try {
      const response = await fetch(service.origin + call.path, {
        ...init,
        headers,
        redirect: 'manual',
      });
      const body = Buffer.from(await response.arrayBuffer());
      const answer = describe(call.name, response, body, service.origin);
      const isBusy = ['overloaded', 'too_many_requests'].includes(String(answer.problem?.code));
      if (!isBusy || tries === 5) return answer;
      await pause(Number(response.headers.get('Retry-After') ?? 1) * 1000);
    } catch (error) {
      if (tries === 5) throw new Error(`no answer to ${call.name}`, { cause: error });
      await pause(1000);
    }
  }
}

function describe(name: string, response: Response, body: Buffer, origin: string): Answer {
  const type = response.headers.get('Content-Type') ?? '';
  const isProblem = type.startsWith('application/problem+json');
  const withoutOrigin = (text: string) => text.replaceAll(origin, 'http://service');
  const headers = Object.fromEntries(
    [...response.headers]
      .filter(([header]) => !volatileHeaders.includes(header))
      .filter(([header]) => !(isProblem && header === 'content-length'))
      // The value of a cookie is random.
      .map(([header, value]) => [
        header,
        withoutOrigin(value).replace(/^(challenge)=[^;]+/, '$1=…'),
      ]),
  );
  const { status } = response;
  if (!isProblem || body.length === 0) {
    const sha256 = createHash('sha256').update(body).digest('hex');
    return { name, status, headers, body: { length: body.length, sha256 } };
  }
  const { title, detail, errors, request_id, ...members } = JSON.parse(
    withoutOrigin(body.toString()),
  );
  const paths = errors?.map(({ path }: { path: unknown }) => path);
  return {
    ...{ name, status, headers },
    problem: {
      ...members,
      members: Object.keys({ ...members, title, detail, errors, request_id }),
      paths,
    },
    wording: { title, detail, errors },
  };
}

interface Service {
  readonly origin: string;
  /** Returns an API key of a user who has quota left. */
  key(): Promise<string>;
  stop(): Promise<void>;
}

async function start(checkout: string): Promise<Service> {
  const state = await mkdtemp(join(tmpdir(), 'compare-answers-'));
  const port = await freePort();
  const bin = join(checkout, 'node_modules/.bin');
  const node = join(bin, 'node');
  const settings = {
    cwd: checkout,
    env: {
      ...process.env,
      STATE_DIR: state,
      PORT: String(port),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      // `npm start` sets it.
      ALLOW_HTTP_SOURCES: 'true',
    },
  };
  const origin = `http://localhost:${port}`;
  const isOnNode = options.home === 'node';
  const child = spawn(node, [isOnNode ? 'scripts/serve.ts' : 'scripts/start.ts'], {
    ...settings,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilHealthy(origin, child);
  let calls = 0;
  let key = '';
  return {
    origin,
    key: async () => {
      if (calls % callsPerUser === 0) {
        const address = `compare-${calls / callsPerUser}@gmail.com`;
        const created = spawnSync(
          node,
          ['scripts/key.ts', ...(isOnNode ? ['--node'] : []), address],
          {
            ...settings,
            encoding: 'utf8',
          },
        );
        if (created.status !== 0) throw new Error(`no key: ${created.stderr}`);
        key = created.stdout.trim();
      }
      calls += 1;
      return key;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGTERM')) await ended;
      await rm(state, { recursive: true, force: true });
    },
  };
}

async function untilHealthy(origin: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('The service did not start.');
    const response = await fetch(`${origin}/v1/health`).catch(() => null);
    if (response?.ok) return;
    await pause(250);
  }
}

/* ---------- compare ---------- */

type Difference = 'status' | 'headers' | 'bytes' | 'problem' | 'wording';

/**
 * Reports the differences between two recordings.
 * @returns the exit status
 */
async function compare(first: string, second: string): Promise<number> {
  const [old, fresh] = [await readAnswers(first), await readAnswers(second)];
  const differences = [...old].flatMap(([name, answer]) => {
    const other = fresh.get(name);
    return other ? differencesOf(answer, other).map((found) => ({ name, ...found })) : [];
  });
  for (const [kind, found] of Map.groupBy(differences, ({ kind }) => kind)) {
    console.log(`\n${kind}: ${found.length}`);
    for (const { name, what } of found) console.log(`  ${name}: ${what}`);
  }
  const inBoth = [...old.keys()].filter((name) => fresh.has(name)).length;
  const wordings = differences.filter(({ kind }) => kind === 'wording').length;
  const serious = differences.length - wordings;
  console.log(
    `\n${inBoth} answers in both, ${old.size - inBoth} and ${fresh.size - inBoth} in one`,
  );
  console.log(`${serious} differences, and ${wordings} problem documents in other words`);
  const isPartial = options.partial && inBoth === Math.min(old.size, fresh.size);
  return serious === 0 && inBoth > 0 && (isPartial || old.size === fresh.size) ? 0 : 1;
}

async function readAnswers(file: string): Promise<ReadonlyMap<string, Answer>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  const answers = lines.map((line) => JSON.parse(line) as Answer);
  return new Map(answers.map((answer) => [answer.name, answer]));
}

function differencesOf(
  old: Answer,
  fresh: Answer,
): readonly { readonly kind: Difference; readonly what: string }[] {
  const found: { kind: Difference; what: string }[] = [];
  const compareField = (kind: Difference, one: unknown, other: unknown) => {
    const [a, b] = [JSON.stringify(one) ?? 'nothing', JSON.stringify(other) ?? 'nothing'];
    if (a !== b) found.push({ kind, what: `${a} → ${b}` });
  };
  compareField('status', old.status, fresh.status);
  for (const header of new Set([...Object.keys(old.headers), ...Object.keys(fresh.headers)])) {
    if (old.headers[header] === fresh.headers[header]) continue;
    const [a, b] = [old.headers[header] ?? 'none', fresh.headers[header] ?? 'none'];
    found.push({ kind: 'headers', what: `${header}: ${a} → ${b}` });
  }
  compareField('bytes', old.body, fresh.body);
  compareField('problem', old.problem, fresh.problem);
  if (old.status === fresh.status) compareField('wording', old.wording, fresh.wording);
  return found;
}

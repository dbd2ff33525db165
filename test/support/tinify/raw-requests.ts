/**
 * Requests as Tinify’s clients write them over HTTP/1.1, each with its own order and spelling of headers. They were
 * recorded from Node 1.8.1, Python 1.7.1, PHP 1.6.4, Ruby 1.7.1, Java 1.8.9 and the WordPress plugin 3.7.0; those of
 * .NET 1.8.1 follow its source code.
 */

/** The values that all requests of a client share. */
export interface Caller {
  /** Host of the service. */
  readonly host: string;
  readonly key: string;
}

interface Message {
  /** Media types of the body, in the order of their headers. */
  readonly types: readonly string[];
  /** Length of the body in bytes; null if there is no body header. */
  readonly length: number | null;
  readonly host: string;
  readonly authorization: string;
}

/** The characteristics of a client. */
interface Habits {
  /** Header lines in order; null for one that this message does not have. */
  headers(message: Message): readonly (string | null)[];
  /** Media type of an image; null if it is sent without. */
  readonly imageType: string | null;
  readonly jsonType: string;
  /** The method with which commands are sent. */
  readonly commandMethod: 'GET' | 'POST';
  /** Whether a POST without a body states its length of 0. */
  readonly statesEmpty: boolean;
  json(value: unknown): string;
}

/** A client of Tinify that writes raw requests. */
export class RawClient {
  readonly #habits: Habits;

  constructor(habits: Habits) {
    this.#habits = habits;
  }

  /** POST /shrink with an image. */
  shrink(caller: Caller, image: Uint8Array): Buffer {
    return this.#request(caller, 'POST', '/shrink', this.#habits.imageType, image);
  }

  /** POST /shrink with the URL of an image. */
  shrinkUrl(caller: Caller, url: string): Buffer {
    return this.#commands(caller, 'POST', '/shrink', { source: { url } });
  }

  /** POST /shrink without a body: asks whether the key is valid. */
  validate(caller: Caller): Buffer {
    const body = this.#habits.statesEmpty ? Buffer.alloc(0) : null;
    return this.#request(caller, 'POST', '/shrink', null, body);
  }

  /** GET /output/{id}, or the client's request with commands. */
  result(caller: Caller, path: string, commands: object | null = null): Buffer {
    if (commands === null) return this.#request(caller, 'GET', path, null, null);
    return this.#commands(caller, this.#habits.commandMethod, path, commands);
  }

  #commands(caller: Caller, method: string, path: string, value: object): Buffer {
    const { jsonType, json } = this.#habits;
    return this.#request(caller, method, path, jsonType, Buffer.from(json(value)));
  }

  #request(
    { host, key }: Caller,
    method: string,
    path: string,
    type: string | null,
    body: Uint8Array | null,
  ): Buffer {
    const headers = this.#habits.headers({
      types: type === null ? [] : [type],
      length: body?.length ?? null,
      host,
      authorization: basic(key),
    });
    return rawMessage(`${method} ${path} HTTP/1.1`, headers, body);
  }
}

/** A message with these lines. */
export function rawMessage(
  requestLine: string,
  headers: readonly (string | null)[],
  body: Uint8Array | null = null,
): Buffer {
  const lines = [requestLine, ...headers.filter((line) => line !== null), '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)]);
}

/** The value of `Authorization`. */
export function basic(key: string, user = 'api'): string {
  return `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`;
}

function typeLine([type]: readonly string[]): string | null {
  return type === undefined ? null : `Content-Type: ${type}`;
}

function lengthLine(length: number | null): string | null {
  return length === null ? null : `Content-Length: ${length}`;
}

/** JSON with all non-ASCII characters escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const curlHabits = {
  imageType: 'application/x-www-form-urlencoded',
  jsonType: 'application/json',
  commandMethod: 'POST',
  statesEmpty: false,
  json: (value: unknown) => asciiJson(value).replaceAll('/', '\\/'),
} as const;

function curlHeaders(userAgent: string): Habits['headers'] {
  return ({ types, length, host, authorization }) => {
    const isJson = types[0] === curlHabits.jsonType;
    return [
      `Host: ${host}`,
      `Authorization: ${authorization}`,
      `User-Agent: ${userAgent}`,
      'Accept: */*',
      isJson ? typeLine(types) : lengthLine(length),
      isJson ? lengthLine(length) : typeLine(types),
      // Sent by libcurl above 1 MiB.
      length !== null && length > 2 ** 20 ? 'Expect: 100-continue' : null,
    ];
  };
}

/** All clients that send images as raw bytes. */
export const rawClients: Readonly<Record<string, RawClient>> = {
  'Node 1.8.1': new RawClient({
    headers: ({ types, length, host, authorization }) => [
      'User-Agent: Tinify/1.8.1 Node/20.20.2 (linux)',
      typeLine(types),
      types.length > 0 ? lengthLine(length) : null,
      `Host: ${host}`,
      `Authorization: ${authorization}`,
      'Connection: keep-alive',
      types.length > 0 ? null : lengthLine(length),
    ],
    imageType: null,
    jsonType: 'application/json',
    commandMethod: 'GET',
    statesEmpty: true,
    json: JSON.stringify,
  }),
  'Python 1.7.1': new RawClient({
    headers: ({ types, length, host, authorization }) => [
      `Host: ${host}`,
      'Accept-Encoding: identity',
      'user-agent: Tinify/1.7.1 Python/3.11.7 (CPython)',
      typeLine(types),
      lengthLine(length),
      `Authorization: ${authorization}`,
    ],
    imageType: null,
    jsonType: 'application/json',
    commandMethod: 'POST',
    statesEmpty: true,
    json: asciiJson,
  }),
  'PHP 1.6.4': new RawClient({
    ...curlHabits,
    headers: curlHeaders('Tinify/1.6.4 PHP/8.2.36 curl/7.88.1'),
  }),
  'PHP 1.6.3': new RawClient({
    ...curlHabits,
    commandMethod: 'GET',
    headers: curlHeaders('Tinify/1.6.3 PHP/8.2.36 curl/7.88.1'),
  }),
  'WordPress 3.7.0 with curl': new RawClient({
    ...curlHabits,
    headers: curlHeaders('Tinify/1.6.4 PHP/8.2.36 curl/7.88.1 WordPress/6.6 Plugin/3.7.0'),
  }),
  'Ruby 1.7.1': new RawClient({
    headers: ({ types, length, host, authorization }) => [
      'User-Agent: Tinify/1.7.1 Ruby/3.1.2p20 (ruby)',
      typeLine(types),
      `Authorization: ${authorization}`,
      'Accept: */*',
      `Date: ${new Date().toUTCString()}`,
      lengthLine(length),
      `Host: ${host}`,
    ],
    imageType: 'application/x-www-form-urlencoded',
    jsonType: 'application/json',
    commandMethod: 'POST',
    statesEmpty: false,
    json: JSON.stringify,
  }),
  'Java 1.8.9': new RawClient({
    headers: ({ types, length, host, authorization }) => [
      `Authorization: ${authorization}`,
      'User-Agent: Tinify/1.8.9 Java/17.0.15 (Debian, Linux amd64)',
      typeLine(types),
      lengthLine(length),
      `Host: ${host}`,
      'Connection: Keep-Alive',
      'Accept-Encoding: gzip',
    ],
    imageType: null,
    jsonType: 'application/json; charset=utf-8',
    commandMethod: 'POST',
    statesEmpty: true,
    json: (value) =>
      JSON.stringify(value).replace(
        /[<>&='\u2028\u2029]/g,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  }),
  '.NET 1.8.1': new RawClient({
    headers: ({ types, length, host, authorization }) => [
      `Host: ${host}`,
      'User-Agent: Tinify/1.8.1.0 .NETStandard/2.0 (Linux .NET 9.0.0)',
      `Authorization: ${authorization}`,
      typeLine(types),
      lengthLine(length),
    ],
    imageType: null,
    jsonType: 'application/json; charset=utf-8',
    commandMethod: 'POST',
    statesEmpty: true,
    json: (value) => asciiJson(value).replaceAll('&', '\\u0026').replaceAll('+', '\\u002B'),
  }),
};

/** Without curl, the WordPress plugin opens URLs with PHP's file functions, and labels everything a form. */
export const fopen = {
  /** The image as raw bytes. */
  shrink: (caller: Caller, image: Uint8Array) =>
    fopenMessage('POST', '/shrink', caller, { body: image }),
  /** The result, resized or with metadata: a GET with a body that has two media types. */
  result: (caller: Caller, path: string, commands: object | null = null) =>
    fopenMessage('GET', path, caller, {
      body: commands && Buffer.from(curlHabits.json(commands)),
      isJson: commands !== null,
    }),
  /** A conversion, for which PHP sends only the headers. */
  convert: (caller: Caller, path: string) => fopenMessage('POST', path, caller, { isJson: true }),
  /** Asks whether the key is valid. */
  validate: (caller: Caller) => fopenMessage('GET', `/keys/${caller.key}`, caller),
};

function fopenMessage(
  method: 'GET' | 'POST',
  path: string,
  { host, key }: Caller,
  {
    body = null,
    isJson = false,
  }: { readonly body?: Uint8Array | null; readonly isJson?: boolean } = {},
): Buffer {
  const headers = [
    `Host: ${host}`,
    'Connection: close',
    lengthLine(body?.length ?? null),
    isJson ? 'Content-Type: application/json' : null,
    `Authorization: ${basic(key)}`,
    'User-Agent: WordPress/6.6 Plugin/3.7.0 fopen',
    'Content-Type: multipart/form-data',
  ];
  return rawMessage(`${method} ${path} HTTP/1.1`, headers, body);
}

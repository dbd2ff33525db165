import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Schema } from './openapi-document.ts';
import { anyText } from './schema-arbitraries.ts';

/** A body and the type that it says to be of; null: it does not say. */
export interface HostileBody {
  readonly what: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string | null;
}

const json = 'application/json';
const limit = 64 * 1024;

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);

/** Text in the place of a value, so that what no serializer writes can be sent too. */
const hostileValues: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-0', '1e400', '-1e400', '5e-324', '9007199254740993', '[]'),
  fc.constantFrom('{}', '""', '[[]]', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":1}}'),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '"\\uffff"', '1.5'),
  fc.constant(JSON.stringify('x'.repeat(60_000))),
  fc.constant(`${'['.repeat(9000)}${']'.repeat(9000)}`),
  fc.constant(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  anyText.map((text) => JSON.stringify(text)),
);

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'application/merge-patch+json',
  'json',
  '*/*',
  'multipart/form-data',
  `multipart/form-data; boundary=${'b'.repeat(5000)}`,
];

/**
 * Bodies that are wrong in some way, or look so.
 * @param example an object that is right
 */
export function hostileBodies(
  example: Readonly<Record<string, unknown>>,
): fc.Arbitrary<HostileBody> {
  const right = JSON.stringify(example);
  const names = [...Object.keys(example), '__proto__', 'constructor', 'toString', ''];
  const inJson = (what: string, bytes: Uint8Array | string): HostileBody => ({
    ...{ what, bytes: bytesOf(bytes), type: json },
  });
  return fc.oneof(
    // values of any kind for members known and unknown, given once or twice
    fc
      .array(fc.tuple(fc.constantFrom(...names), hostileValues), { minLength: 1, maxLength: 3 })
      .map((members) => {
        const added = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join();
        const text = right === '{}' ? `{${added}}` : `${right.slice(0, -1)},${added}}`;
        return inJson('hostile members', text);
      }),
    fc.constantFrom(...names).map((missing) => {
      const left = Object.entries(example).filter(([name]) => name !== missing);
      return inJson(`without "${missing}"`, JSON.stringify(Object.fromEntries(left)));
    }),
    hostileValues.map((text) => inJson('no object', text)),
    fc.constant(inJson('in an array', `[${right}]`)),
    fc.nat({ max: right.length }).map((end) => inJson('cut short', right.slice(0, end))),
    fc.uint8Array({ maxLength: 40 }).map((noise) => inJson('noise', noise)),
    fc.nat({ max: right.length }).map((at) => {
      const bytes = [Buffer.from(right.slice(0, at)), [0xc3, 0x28], Buffer.from(right.slice(at))];
      return inJson('not UTF-8', Uint8Array.from(bytes.flatMap((part) => [...part])));
    }),
    fc.constant(inJson('with a byte order mark', `\ufeff${right}`)),
    fc.constant(inJson('UTF-16', Buffer.from(right, 'utf16le'))),
    fc.constantFrom(-1, 0, 1, limit).map((more) => inJson('near the limit', padded(right, more))),
    fc
      .constantFrom(null, ...otherTypes)
      .map((type) => ({ what: 'typed', bytes: bytesOf(right), type })),
  );
}

/** Whether a body is one that the document allows: then it may still be refused, otherwise it must. */
export function isAllowed(schema: Schema, { bytes, type }: HostileBody): boolean {
  if (bytes.length > limit || (bytes.length > 0 && type !== json)) return false;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return ajv.validate(schema, bytes.length === 0 ? {} : JSON.parse(text));
  } catch {
    return false;
  }
}

function padded(text: string, more: number): string {
  return text + ' '.repeat(limit + more - Buffer.byteLength(text));
}

function bytesOf(content: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(content));
}

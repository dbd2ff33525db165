import { decodeField, make, type PartInfo } from 'multipasta';
import { ApiError } from '../../errors.ts';
import { endedEarly, sipsOf } from '../http/body-reader.ts';
import type { HeldBytes } from './held-body.ts';

/** Option fields are a few characters; more than this of them is not a form of ours. */
const fieldLimit = 1024;
const partsLimit = 32;

/** More than a boundary with its dashes has, in bytes: what the parser may keep of a file's sip for the next one. */
const tail = 256;

interface Form {
  readonly fields: readonly (readonly [string, string])[];
  readonly name: string | null;
}

/**
 * Reads a form as it streams in: the one file goes straight to its place, the
 * other parts are options.
 * @param held where the file goes; the caller ends it
 * @throws ApiError `invalid_request`, `body_too_large`, `overloaded`
 */
export async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  held: HeldBytes,
): Promise<Form> {
  const fields: [string, string][] = [];
  let hasFile = false;
  let name: string | null = null;
  let complete = false;
  let isInFile = false;
  // whether the parser may still look at the last sip: at more than the tail it does beside files only
  let isKept = false;

  const parser = make({
    headers: { 'content-type': contentType },
    maxFieldSize: fieldLimit,
    maxParts: partsLimit,
    isFile: (part) => fileName(part) !== null || partName(part) === 'file',
    onField: (part, value) => fields.push([partName(part), decodeField(part, value)]),
    onFile(part) {
      if (hasFile || partName(part) !== 'file') throw oneFile();
      hasFile = true;
      name = fileName(part);
      isInFile = true;
      return (chunk) => {
        if (chunk) held.append(chunk);
        else isInFile = false;
      };
    },
    onError: () => {
      throw unreadable();
    },
    onDone: () => {
      complete = true;
    },
  });

  const pieces = new WholeDashes((bytes) => parser.write(bytes));
  try {
    for await (const sip of sipsOf(body, held.sipSize, held.watch, () => !isKept)) {
      const most = isInFile ? Math.max(0, sip.length - tail) : sip.length;
      if (most > 0) pieces.write(sip.subarray(0, most));
      if (most < sip.length) pieces.write(sip.slice(most));
      isKept = !isInFile || most === sip.length;
    }
    pieces.end();
    parser.end();
    if (!complete) throw endedEarly();
    held.complete();
    if (held.length === 0) throw oneFile();
    return { fields, name };
  } catch (error) {
    // The parser decodes names and lets the decoder's own errors through.
    throw error instanceof URIError ? unreadable() : error;
  }
}

/**
 * The parser keeps to the header grammar and drops names with letters beyond
 * Latin-1, which browsers and curl send as they are (WHATWG HTML, multipart
 * form data); so these two are read from the header itself.
 */
function partName(part: PartInfo): string {
  return parameter(part, 'name') ?? part.name;
}

function fileName(part: PartInfo): string | null {
  const extended = part.contentDispositionParameters['filename*'] === undefined;
  return (extended ? parameter(part, 'filename') : null) ?? part.filename ?? null;
}

function parameter({ headers }: PartInfo, name: string): string | null {
  const header = headers['content-disposition'];
  const [, quoted] =
    new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i').exec(String(header)) ?? [];
  if (quoted === undefined) return null;
  return quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"');
}

function oneFile(): ApiError {
  return new ApiError('invalid_request', 'Send exactly one image, as the form field "file".');
}

function unreadable(): ApiError {
  return new ApiError(
    'invalid_request',
    'Send the form as multipart/form-data: one file and short option fields.',
  );
}

const dash = 45;

/** Longer runs are no end of a form, in bytes. */
const longest = 128;

/**
 * Hands bytes on so that no cut falls into a run of dashes. multipasta knows the end of a form by two
 * dashes after a boundary, and only if they come together.
 */
class WholeDashes {
  readonly #write: (bytes: Uint8Array) => void;
  /** How many dashes the last bytes ended with; they are not handed on yet. */
  #held = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    const from = this.#held > 0 ? leadingDashes(bytes) : 0;
    this.#held += from;
    // the run may go on
    if (from === bytes.length && this.#held <= longest) return;
    this.end();
    let end = bytes.length;
    while (end > from && bytes.length - end < longest && bytes[end - 1] === dash) end -= 1;
    if (end > from) this.#write(bytes.subarray(from, end));
    this.#held = bytes.length - end;
  }

  /** Nothing more is to come, or no dash. */
  end(): void {
    if (this.#held > 0) this.#write(new Uint8Array(this.#held).fill(dash));
    this.#held = 0;
  }
}

function leadingDashes(bytes: Uint8Array): number {
  const next = bytes.findIndex((byte) => byte !== dash);
  return next < 0 ? bytes.length : next;
}

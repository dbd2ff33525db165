import { decodeField, make, type PartInfo } from 'multipasta';
import { maxTurnstileTokenLength } from '../../access/turnstile.ts';
import { ApiError } from '../../errors.ts';
import { endedEarly, reusedChunksOf } from '../http/body-reader.ts';
import type { HeldBytes } from './held-body.ts';

/** Fields are a few characters long, or a token; a longer one is not from a form for this service. */
const maxFieldBytes = maxTurnstileTokenLength;
const maxParts = 32;

/**
 * Longer than a boundary with its dashes, in bytes: as much of a chunk of a file the parser may keep until the next
 * chunk.
 */
const boundaryReach = 256;

interface Form {
  /** Names and values in their order; a name given twice is there twice. */
  readonly fields: readonly (readonly [string, string])[];
  /** Name of the file, as the sender has it. */
  readonly name: string | null;
}

/**
 * Reads a form (RFC 7578) as it streams in: the one file goes straight to its
 * place, the other parts are options.
 * @param held where the file goes; the caller ends it
 * @throws ApiError `invalid_request`, `request_timeout`, `body_too_large`, `overloaded`
 */
export async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  held: HeldBytes,
): Promise<Form> {
  const fields: [string, string][] = [];
  let hasFile = false;
  let name: string | null = null;
  let isComplete = false;
  let isInFile = false;
  // The part whose headers came last. At a boundary the parser ends the part before, also where the headers of a
  // further one broke off: then there is none.
  let open: PartInfo | null = null;
  // whether the parser may still look at the last chunk: outside of files at all of it, in files at its end alone
  let isKept = false;

  const parser = make({
    headers: { 'content-type': contentType },
    maxFieldSize: maxFieldBytes,
    maxParts,
    isFile(part) {
      if (!isFormData(part)) throw malformed();
      open = part;
      return fileName(part) !== null || partName(part) === 'file';
    },
    onField(part, value) {
      if (open === null || part !== open) throw malformed();
      open = null;
      fields.push([partName(part), decodeField(part, value)]);
    },
    onFile(part) {
      if (hasFile || partName(part) !== 'file') throw oneFile();
      hasFile = true;
      name = fileName(part);
      isInFile = true;
      return (chunk) => {
        if (open === null) throw malformed();
        if (chunk) return held.append(chunk);
        open = null;
        isInFile = false;
      };
    },
    onError: () => {
      throw malformed();
    },
    onDone: () => {
      isComplete = true;
    },
  });

  const pieces = new DashBuffer((bytes) => parser.write(bytes));
  try {
    for await (const chunk of reusedChunksOf(body, held.chunkBytes, held.watch, () => !isKept)) {
      const passed = isInFile ? Math.max(0, chunk.length - boundaryReach) : chunk.length;
      if (passed > 0) pieces.write(chunk.subarray(0, passed));
      if (passed < chunk.length) pieces.write(chunk.slice(passed));
      isKept = !isInFile || passed === chunk.length;
    }
    pieces.end();
    parser.end();
    if (!isComplete) throw endedEarly();
    held.complete();
    if (held.length === 0) throw oneFile();
    return { fields, name };
  } catch (error) {
    // The parser decodes names and lets the decoder's own errors through.
    throw error instanceof URIError ? malformed() : error;
  }
}

/** RFC 7578 §4.2: each part says that it is form data, and has a name, which may be empty. */
function isFormData(part: PartInfo): boolean {
  const hasName = part.name !== '' || parameter(part, 'name') !== null;
  return hasName && /^\s*form-data\s*;/i.test(disposition(part));
}

/**
 * The parser keeps to the header grammar and drops names with letters beyond
 * Latin-1, which browsers and curl send as they are (WHATWG HTML, multipart
 * form data); so names are read from the header itself.
 */
function partName(part: PartInfo): string {
  return parameter(part, 'name') ?? part.name;
}

function fileName(part: PartInfo): string | null {
  const isExtended = part.contentDispositionParameters['filename*'] !== undefined;
  return (isExtended ? null : parameter(part, 'filename')) ?? part.filename ?? null;
}

function parameter(part: PartInfo, name: string): string | null {
  const pattern = new RegExp(`;\\s*${name}="((?:[^"\\\\]|\\\\.)*)"`, 'i');
  const [, quoted] = pattern.exec(disposition(part)) ?? [];
  if (quoted === undefined) return null;
  return quoted.replace(/\\(["\\])/g, '$1').replaceAll('%22', '"');
}

function disposition({ headers }: PartInfo): string {
  return String(headers['content-disposition']);
}

function oneFile(): ApiError {
  return new ApiError('invalid_request', 'Send exactly one image, as the form field "file".');
}

function malformed(): ApiError {
  return new ApiError(
    'invalid_request',
    'Send the form as multipart/form-data: one file and short option fields.',
  );
}

const dash = 45;

/** Longer runs of dashes are not the end of a form, in bytes. */
const maxDashes = 128;

/**
 * Passes bytes on so that no run of dashes is split. multipasta recognises the
 * end of a form by two dashes after a boundary, but only if they arrive together.
 */
class DashBuffer {
  readonly #write: (bytes: Uint8Array) => void;
  /** How many dashes the last bytes ended with; they have not been passed on yet. */
  #held = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    const from = this.#held > 0 ? leadingDashes(bytes) : 0;
    this.#held += from;
    // the run may continue
    if (from === bytes.length && this.#held <= maxDashes) return;
    this.end();
    let end = bytes.length;
    while (end > from && bytes.length - end < maxDashes && bytes[end - 1] === dash) end -= 1;
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

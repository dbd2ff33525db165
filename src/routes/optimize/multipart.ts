import { decodeField, make, type PartInfo } from 'multipasta';
import { maxTurnstileTokenLength } from '../../access/turnstile.ts';
import { ApiError } from '../../errors.ts';
import { endedEarly, reusedChunksOf } from '../http/body-reader.ts';
import type { HeldBytes } from './held-body.ts';

/**
 * Maximum size of a field in bytes: fields are a few characters long, or a token; no form for this service has longer
 * ones.
 */
const maxFieldBytes = maxTurnstileTokenLength;
const maxParts = 32;

/**
 * Upper bound for a boundary with its dashes, in bytes: the parser may retain this much at the end of a file chunk
 * until the next chunk.
 */
const boundaryReach = 256;

interface Form {
  /** Names and values in order of appearance, including duplicates. */
  readonly fields: readonly (readonly [string, string])[];
  /** File name as stated by the sender. */
  readonly name: string | null;
}

/**
 * Reads a form (RFC 7578) as it streams in: the single file goes directly into `held`, all other parts are fields.
 * @param held receives the file; the caller ends it
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
  // The part whose headers came last. At a boundary, the parser ends the previous part even if the headers of the next
  // one broke off: then this is null.
  let openPart: PartInfo | null = null;
  // Whether the parser may still reference the last chunk: all of it outside of files, only its end within files.
  let isKept = false;

  const parser = make({
    headers: { 'content-type': contentType },
    maxFieldSize: maxFieldBytes,
    maxParts,
    isFile(part) {
      if (!isFormData(part)) throw malformed();
      openPart = part;
      return fileName(part) !== null || partName(part) === 'file';
    },
    onField(part, value) {
      if (openPart === null || part !== openPart) throw malformed();
      openPart = null;
      fields.push([partName(part), decodeField(part, value)]);
    },
    onFile(part) {
      if (hasFile || partName(part) !== 'file') throw oneFile();
      hasFile = true;
      name = fileName(part);
      isInFile = true;
      return (chunk) => {
        if (openPart === null) throw malformed();
        if (chunk) return held.append(chunk);
        openPart = null;
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
      // All else is copied: the parser keeps pieces of a field, and with them what they are part of.
      const passed = isInFile ? Math.max(0, chunk.length - boundaryReach) : 0;
      if (passed > 0) pieces.write(chunk.subarray(0, passed));
      if (passed < chunk.length) pieces.write(chunk.slice(passed));
      isKept = passed > 0 && !isInFile;
    }
    pieces.end();
    parser.end();
    if (!isComplete) throw endedEarly();
    held.complete();
    if (held.length === 0) throw oneFile();
    return { fields, name };
  } catch (error) {
    // The parser decodes names, and does not catch the decoder's own errors.
    throw error instanceof URIError ? malformed() : error;
  }
}

/** RFC 7578 §4.2: each part declares itself form data, and has a name, which may be empty. */
function isFormData(part: PartInfo): boolean {
  const hasName = part.name !== '' || parameter(part, 'name') !== null;
  return hasName && /^\s*form-data\s*;/i.test(disposition(part));
}

/**
 * The name of a part, read directly from the header: the parser adheres to the header grammar and drops names with
 * characters beyond Latin-1, which browsers and curl send unencoded (WHATWG HTML, multipart form data).
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
 * Passes bytes on without splitting runs of dashes. multipasta recognizes the end of a form by two dashes after a
 * boundary, but only if they arrive together.
 */
class DashBuffer {
  readonly #write: (bytes: Uint8Array) => void;
  /** Number of trailing dashes that have not been passed on yet. */
  #held = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    const from = this.#held > 0 ? leadingDashes(bytes) : 0;
    this.#held += from;
    // The run may continue in the next chunk.
    if (from === bytes.length && this.#held <= maxDashes) return;
    this.end();
    let end = bytes.length;
    while (end > from && bytes.length - end < maxDashes && bytes[end - 1] === dash) end -= 1;
    if (end > from) this.#write(bytes.subarray(from, end));
    this.#held = bytes.length - end;
  }

  /** Passes on the held dashes, because the run has ended. */
  end(): void {
    if (this.#held > 0) this.#write(new Uint8Array(this.#held).fill(dash));
    this.#held = 0;
  }
}

function leadingDashes(bytes: Uint8Array): number {
  const next = bytes.findIndex((byte) => byte !== dash);
  return next < 0 ? bytes.length : next;
}

import { decodeField, make } from 'multipasta';
import { ApiError } from '../../errors.ts';
import { endedEarly, HeldBytes } from './held-bytes.ts';

/** Option fields are a few characters; more than this of them is not a form of ours. */
const fieldLimit = 1024;
const partsLimit = 32;

interface Form {
  readonly held: HeldBytes;
  readonly fields: readonly (readonly [string, string])[];
  readonly name: string | null;
}

/**
 * Reads a form as it streams in: the one file goes straight to its place, the
 * other parts are options.
 * @param length of the whole body in bytes, when it is known
 * @throws ApiError `invalid_request`, `body_too_large`, `overloaded`
 */
export async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  length: number | null,
): Promise<Form> {
  const fields: [string, string][] = [];
  let held: HeldBytes | undefined;
  let name: string | null = null;
  let complete = false;

  const parser = make({
    headers: { 'content-type': contentType },
    maxFieldSize: fieldLimit,
    maxParts: partsLimit,
    isFile: (part) => part.filename !== undefined || part.name === 'file',
    onField: (part, value) => fields.push([part.name, decodeField(part, value)]),
    onFile(part) {
      if (held || part.name !== 'file') throw oneFile();
      name = part.filename ?? null;
      const file = new HeldBytes(length ?? undefined);
      held = file;
      return (chunk) => chunk && file.append(chunk);
    },
    onError: () => {
      throw unreadable();
    },
    onDone: () => {
      complete = true;
    },
  });

  try {
    for await (const chunk of body.values({ preventCancel: true })) parser.write(chunk);
    parser.end();
    if (!complete) throw endedEarly();
    if (!held || held.bytes.length === 0) throw oneFile();
    return { held, fields, name };
  } catch (error) {
    held?.end();
    // The parser decodes names and lets the decoder's own errors through.
    throw error instanceof URIError ? unreadable() : error;
  }
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

import { createScanner } from 'jsonc-parser';
import { ApiError } from '../../../errors.ts';
import { withJsonText } from '../../http/json-body.ts';
import { invalidRequest } from '../../http/problems.ts';
import { invalidOptions } from '../options.ts';

/** A request to optimize the image at a URL; neither the URL nor the options have been validated. */
export interface SourceRequest {
  readonly url: string;
  /** Options as text, in order of appearance, including duplicates. */
  readonly options: readonly (readonly [string, string])[];
}

/**
 * Reads `{ "url": …, …options }`.
 * @param lists names of options that may be arrays of text or numbers, which stand for the same separated by commas
 * @throws ApiError `invalid_request`, `invalid_options`, `body_too_large`, `overloaded`, `request_timeout`
 */
export async function readSourceRequest(
  { body, headers }: Pick<Request, 'body' | 'headers'>,
  lists: readonly string[] = [],
): Promise<SourceRequest> {
  if (!body) throw notAnObject();
  return withJsonText({ body, headers }, (text) => sourceRequestOf(text, lists));
}

function sourceRequestOf(text: string | null, lists: readonly string[]): SourceRequest {
  if (text === null) throw notAnObject();
  const members = new Map(Object.entries(parse(text)));
  const names = memberNames(text);
  const url = members.get('url');
  if (typeof url !== 'string') throw wrongUrl('should be the URL of an image, as text');
  if (names.indexOf('url') !== names.lastIndexOf('url')) throw wrongUrl('is given twice');
  const options = names
    .filter((name) => name !== 'url')
    .map((name) => [name, optionText(name, members.get(name), lists)] as const);
  return { url, options };
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw notAnObject();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notAnObject();
  return value;
}

/**
 * Member names of a JSON object, including duplicates, of which `JSON.parse` silently keeps only the last. A scanner is
 * used because a parser could overflow the stack on nested input.
 */
function memberNames(json: string): readonly string[] {
  const scanner = createScanner(json, true);
  const names: string[] = [];
  for (let depth = 0, latest = ''; ; ) {
    scanner.scan();
    switch (json[scanner.getTokenOffset()]) {
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        depth -= 1;
        break;
      case '"':
        latest = scanner.getTokenValue();
        break;
      case ':':
        if (depth === 1) names.push(latest);
        break;
      case undefined:
        return names;
    }
  }
}

function optionText(name: string, value: unknown, lists: readonly string[]): string {
  const isList = Array.isArray(value) && lists.includes(name);
  const items: readonly unknown[] = isList ? value : [value];
  const isScalar = (item: unknown) => typeof item === 'string' || typeof item === 'number';
  // One item of a list cannot stand for several.
  const isItem = (item: unknown) => isScalar(item) && !(isList && String(item).includes(','));
  if (items.every(isItem)) return items.join();
  throw invalidOptions([{ path: name, message: 'should be text or a number' }]);
}

function wrongUrl(message: string): ApiError {
  return invalidRequest([{ path: ['url'], message }]);
}

function notAnObject(): ApiError {
  return new ApiError(
    'invalid_request',
    'Send a JSON object in UTF-8, with the URL of an image as "url" and the options next to it.',
  );
}

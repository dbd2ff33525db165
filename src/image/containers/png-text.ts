import { inflateSync } from 'node:zlib';

/** §11.3.3.1: 1 to 79 characters and a zero byte. */
const maximumKeywordBytes = 79;

/** The three kinds of text chunk, by what stands between the keyword and the text. */
export type PngTextType = 'tEXt' | 'zTXt' | 'iTXt';

export function isPngTextType(type: string): type is PngTextType {
  return type === 'tEXt' || type === 'zTXt' || type === 'iTXt';
}

/** The keyword that the content of a text chunk begins with; empty when it has none. */
export function pngTextKeyword(content: Uint8Array): string {
  const end = content.subarray(0, maximumKeywordBytes + 1).indexOf(0);
  return end < 0 ? '' : String.fromCharCode(...content.subarray(0, end));
}

/**
 * The text of a text chunk, inflated where it is deflated; null when it is damaged, or inflates to
 * more than `maximumBytes`. Source: PNG third edition §11.3.3.2–4.
 */
export function pngText(
  type: PngTextType,
  content: Uint8Array,
  maximumBytes: number,
): Uint8Array | null {
  const text = storedText(type, content);
  if (!text) return null;
  return text.isDeflated ? inflated(text.bytes, maximumBytes) : text.bytes;
}

/** The deflated text of a chunk as it is stored; null when it is not deflated, or damaged. */
export function deflatedPngText(type: PngTextType, content: Uint8Array): Uint8Array | null {
  const text = storedText(type, content);
  return text?.isDeflated ? text.bytes : null;
}

function storedText(
  type: PngTextType,
  content: Uint8Array,
): { readonly bytes: Uint8Array; readonly isDeflated: boolean } | null {
  const afterKeyword = content.indexOf(0) + 1;
  if (afterKeyword === 0) return null;
  if (type === 'tEXt') return { bytes: content.subarray(afterKeyword), isDeflated: false };
  if (type === 'zTXt') {
    const isDeflated = content[afterKeyword] === 0;
    return isDeflated ? { bytes: content.subarray(afterKeyword + 1), isDeflated } : null;
  }
  // A flag, the method, a language and a translated keyword, each of these with a zero byte.
  const [flag, method] = content.subarray(afterKeyword);
  const afterLanguage = content.indexOf(0, afterKeyword + 2) + 1;
  const start = afterLanguage === 0 ? 0 : content.indexOf(0, afterLanguage) + 1;
  if (start === 0 || flag === undefined || flag > 1 || (flag === 1 && method !== 0)) return null;
  return { bytes: content.subarray(start), isDeflated: flag === 1 };
}

function inflated(stream: Uint8Array, maximumBytes: number): Uint8Array | null {
  try {
    return inflateSync(stream, { maxOutputLength: maximumBytes });
  } catch {
    return null;
  }
}

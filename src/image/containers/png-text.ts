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
  const afterKeyword = content.indexOf(0) + 1;
  if (afterKeyword === 0) return null;
  if (type === 'tEXt') return content.subarray(afterKeyword);
  if (type === 'zTXt') {
    const [method] = content.subarray(afterKeyword);
    return method === 0 ? inflated(content.subarray(afterKeyword + 1), maximumBytes) : null;
  }
  // A flag, the method, a language and a translated keyword, each of these with a zero byte.
  const [isDeflated, method] = content.subarray(afterKeyword);
  const afterLanguage = content.indexOf(0, afterKeyword + 2) + 1;
  const start = afterLanguage === 0 ? 0 : content.indexOf(0, afterLanguage) + 1;
  if (start === 0) return null;
  const text = content.subarray(start);
  if (isDeflated === 0) return text;
  return isDeflated === 1 && method === 0 ? inflated(text, maximumBytes) : null;
}

function inflated(stream: Uint8Array, maximumBytes: number): Uint8Array | null {
  try {
    return inflateSync(stream, { maxOutputLength: maximumBytes });
  } catch {
    return null;
  }
}

/** The file name in a URL, decoded where that can be done; empty when the path ends with a slash. */
export function sourceName(url: string): string {
  const segment = URL.parse(url)?.pathname.replace(/^.*\//, '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // percent signs that encode nothing, or not UTF-8
  }
}

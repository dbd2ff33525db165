import { sourceHost } from './source-host.ts';

/** Reads a list of `host:port`, separated by commas or spaces; null when an entry is something else. */
export function parsePrivateSources(text: string): ReadonlySet<string> | null {
  const sources = new Set<string>();
  for (const entry of text.split(/[\s,]+/)) {
    if (entry === '') continue;
    const url = /^[^/?#@\\*]+:\d{1,5}$/.test(entry) ? URL.parse(`http://${entry}`) : null;
    if (!url) return null;
    sources.add(privateSource(url));
  }
  return sources;
}

/** The entry that a URL would need in that list. */
export function privateSource(url: URL): string {
  const { name, port } = sourceHost(url);
  return `${name}:${port}`;
}

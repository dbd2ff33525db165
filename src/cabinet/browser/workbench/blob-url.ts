import { useEffect, useState } from 'preact/hooks';

/**
 * An object URL for a blob, revoked on unmount; null on the first render.
 * @param companion another blob; whenever it changes, a new URL is created, so that an animation restarts
 */
export function useBlobUrl(blob: Blob, companion?: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(created);
    };
  }, [blob, companion]);
  return url;
}

/** Hands a blob to the browser as a download. */
export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then, the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

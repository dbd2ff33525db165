import { useCallback, useState } from 'preact/hooks';

export interface HeldKeys {
  /** Ids of the keys that are being worked on. */
  readonly held: ReadonlySet<string>;
  /** Begins work on a key; what it returns ends it. */
  readonly hold: (id: string) => () => void;
}

/** Keys that someone works on, which no search and no fold may take away. */
export function useHeldKeys(): HeldKeys {
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const hold = useCallback((id: string) => {
    setHeld((ids) => new Set(ids).add(id));
    return () => setHeld((ids) => new Set([...ids].filter((other) => other !== id)));
  }, []);
  return { held, hold };
}

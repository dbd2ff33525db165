import { useEffect, useState } from 'preact/hooks';

/** Milliseconds between updates of the time; times are shown to the minute. */
const interval = 30_000;

/** The current time, for relative times. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, []);
  return now;
}

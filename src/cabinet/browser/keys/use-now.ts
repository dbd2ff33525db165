import { useEffect, useState } from 'preact/hooks';

/** Milliseconds between two looks at the clock: times are shown to the minute. */
const interval = 30_000;

/** The time, for what is said relative to it. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval);
    return () => clearInterval(timer);
  }, []);
  return now;
}

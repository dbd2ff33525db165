import { distanceText } from '../../text/times.ts';

/** How long ago something was that has happened, though this clock may be behind the service's. */
export function agoText(timestamp: string, now: number): string {
  return distanceText(timestamp, Math.max(now, Date.parse(timestamp)));
}

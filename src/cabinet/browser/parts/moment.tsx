import { agoText, dayText, utcText } from '../../text/formatting.ts';

/** A past moment as a distance from now (`3 hours ago`), with the exact time as a tooltip. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}

/** The UTC day of a moment: all counts are by UTC day. */
export function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {dayText(at.slice(0, 10))} UTC
    </time>
  );
}

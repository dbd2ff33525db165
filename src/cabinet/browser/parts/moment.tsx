import { agoText, dayText, utcText } from '../../text/formatting.ts';

/** How long ago something was; exactly, for those who point at it. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}

/** The day of something past. Days are those of UTC, as in all that is counted. */
export function Day({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {dayText(at.slice(0, 10))} UTC
    </time>
  );
}

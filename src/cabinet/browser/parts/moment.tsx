import {
  agoText,
  localDateText,
  localTimeText,
  longMonthText,
  utcText,
} from '../../text/formatting.ts';

/** A past moment as a distance from now (`3 hours ago`), with the exact time as a tooltip. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}

/** The UTC month of a moment. */
export function Month({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {longMonthText(at)}
    </time>
  );
}

/** The day of a moment, as the reader writes dates. */
export function LocalDate({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {localDateText(at)}
    </time>
  );
}

/** A moment of the coming or the last days, to the minute, as the reader writes times. */
export function LocalTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {localTimeText(at)}
    </time>
  );
}

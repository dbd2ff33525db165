import {
  agoText,
  localDateText,
  localSecondText,
  localTimeText,
  longMonthText,
  utcText,
} from '../../text/formatting.ts';

/** A past time as a distance from now (`3 hours ago`), with the exact time as a tooltip. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}

/** The UTC month of a timestamp. */
export function Month({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {longMonthText(at)}
    </time>
  );
}

/** The day of a timestamp, in the reader's time zone. */
export function LocalDate({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {localDateText(at)}
    </time>
  );
}

/** A recent or upcoming time to the minute, in the reader's time zone. */
export function LocalTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {localTimeText(at)}
    </time>
  );
}

/** A recent time to the second, in the reader's time zone, with the timestamp as a tooltip: to be compared with other logs. */
export function LocalSecond({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {localSecondText(at)}
    </time>
  );
}

import { dateTimeText, distanceText } from '../../text/times.ts';

/** How long ago something was; exactly, for those who point at it. */
export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${dateTimeText(at, 'UTC')} UTC`}>
      {distanceText(at, Date.now())}
    </time>
  );
}

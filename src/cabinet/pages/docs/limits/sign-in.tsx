import type { Limits } from './limits.ts';

/** How often codes are sent and tried, and how long they and sessions live. */
export function SignIn(limits: Limits['signIn']) {
  return (
    <>
      <ul>
        <li>
          A code can be used once, within {limits.codeMinutes} minutes. Of one address at most{' '}
          {limits.liveCodes} are live at a time.
        </li>
        <li>
          For one address: one code in {limits.codePauseSeconds} seconds, {limits.codesPerHourHere}{' '}
          an hour asked for from one network, {limits.codesPerHour} an hour in all. From one
          network: {limits.mailsPerHour} mails an hour.
        </li>
        <li>
          A code takes {limits.codeTries} wrong tries in the browser that asked for it, and as many
          from elsewhere; one network has {limits.wrongCodesPerHour} wrong tries an hour. An address
          that is guessed at gets longer codes.
        </li>
        <li>
          A session lasts {limits.sessionDays} days, and ends at once everywhere when you sign out.
        </li>
      </ul>
      <p>A network is an IPv4 address, or the /64 of an IPv6 address.</p>
    </>
  );
}

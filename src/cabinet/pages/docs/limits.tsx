import { countText } from '../../text/sizes.ts';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { DocsTable } from './docs-table.tsx';
import { megapixelLimits, rateLimits } from './limit-figures.ts';

/** What the deployment and the code decide; counts, unless the name says otherwise. */
export interface Limits {
  readonly fileMebibytes: number;
  readonly freeFilesPerMonth: number;
  readonly unchargedPerDay: number;
  readonly activeKeys: number;
  readonly keyRecords: number;
  readonly codeMinutes: number;
  readonly codePauseSeconds: number;
  readonly codesPerHour: number;
  readonly codesPerHourHere: number;
  readonly mailsPerHour: number;
  readonly liveCodes: number;
  readonly codeTries: number;
  readonly wrongCodesPerHour: number;
  readonly sessionDays: number;
  readonly checkoutsPerDay: number;
  readonly fetchesHttp: boolean;
}

const parts = {
  sizes: { id: 'sizes', title: 'How large a file' },
  pixels: { id: 'pixels', title: 'How many pixels' },
  quota: { id: 'quota', title: 'How many files' },
  rates: { id: 'rates', title: 'How often' },
  urls: { id: 'urls', title: 'Image URLs' },
  keys: { id: 'keys', title: 'Keys' },
  signIn: { id: 'sign-in', title: 'Codes and sessions' },
} as const;

/** /docs/limits: how large, how many and how often. */
export function limitsPage(site: Site, limits: Limits): string {
  return docsPage({
    site,
    path: '/docs/limits',
    sections: Object.values(parts),
    lead: 'How large, how many and how often. Numbers that a deployment can set are those of this one.',
    children: (
      <>
        <DocsSection section={parts.sizes}>
          <ul>
            <li>
              A picture: {limits.fileMebibytes} MiB, however it is sent. Beyond that:{' '}
              <ErrorLink code="body_too_large" />.
            </li>
            <li>A JSON body: 64 KiB.</li>
            <li>
              An upload may stall for 10 seconds and take 120 seconds in all; then:{' '}
              <ErrorLink code="request_timeout" />.
            </li>
            <li>
              Send the header <code>Content-Length</code>, as most clients do by themselves: a body
              without it needs more room while it grows, and may be refused sooner.
            </li>
            <li>
              A colour profile of more than 4 MiB, and a PNG whose texts unpack to more than 32 MiB,
              are refused.
            </li>
          </ul>
        </DocsSection>
        <DocsSection section={parts.pixels}>
          <Megapixels />
        </DocsSection>
        <DocsSection section={parts.quota}>
          <ul>
            <li>
              <strong>Free:</strong> {countText(limits.freeFilesPerMonth)} files per user and month.
              Months are those of UTC; what is left over expires.
            </li>
            <li>
              <strong>Bought:</strong> used after the free ones. They do not expire.
            </li>
            <li>
              <strong>Not charged:</strong> {countText(limits.unchargedPerDay)} answers per user and
              UTC day that cost work without saving bytes. Requests in flight count here until they
              have ended. Beyond that: <ErrorLink code="too_many_requests" /> until midnight UTC.
            </li>
            <li>
              With neither free nor bought files: <ErrorLink code="quota_exceeded" />.
            </li>
          </ul>
          <p>
            A request sets one file aside before the work, for 15 minutes at most. Any number of
            parallel requests can therefore not spend more than there is.
          </p>
        </DocsSection>
        <DocsSection section={parts.rates}>
          <p>
            These are brakes against floods, counted roughly and per Cloudflare location. Beyond
            them: <ErrorLink code="too_many_requests" /> with <code>Retry-After</code>.
          </p>
          <DocsTable
            caption="Requests a minute"
            columns={['What', 'For each', 'Per minute']}
            rows={rateLimits.map(({ binding, what, who, perMinute }) => ({
              id: binding,
              cells: [what, who, countText(perMinute)],
            }))}
          />
          <p>
            One user’s uploads together hold at most a third of a server’s memory, so that nobody
            keeps others waiting; one upload alone may always go on. What finds no room gets{' '}
            <ErrorLink code="overloaded" />.
          </p>
        </DocsSection>
        <DocsSection section={parts.urls}>
          <Fetching fetchesHttp={limits.fetchesHttp} fileMebibytes={limits.fileMebibytes} />
        </DocsSection>
        <DocsSection section={parts.keys}>
          <ul>
            <li>
              {countText(limits.activeKeys)} active keys per user, and{' '}
              {countText(limits.keyRecords)} with the revoked ones.
            </li>
            <li>A name of 1 to 100 characters, a comment of up to 500.</li>
            <li>Statistics over at most 366 days at once.</li>
          </ul>
        </DocsSection>
        <DocsSection section={parts.signIn}>
          <SigningIn {...limits} />
        </DocsSection>
      </>
    ),
  });
}

function ErrorLink({ code }: { code: string }) {
  return (
    <a href={`/docs/errors#${code}`}>
      <code>{code}</code>
    </a>
  );
}

function Megapixels() {
  const figure = (value: number) => value.toFixed(1);
  return (
    <>
      <p>
        All memory that a picture needs is known before any pixel is decoded. What does not fit is
        refused at once with <ErrorLink code="image_too_large" />, which says how many pixels would.
        The table says how many megapixels fit, for opaque pictures of 4:3 in files of the usual
        size:
      </p>
      <DocsTable
        caption="Largest pictures in megapixels"
        columns={['From ↓ to →', 'JPEG', 'PNG', 'WebP', 'AVIF', 'Reduced to 800 px']}
        isNumeric
        rows={megapixelLimits.map(({ source, jpeg, png, webp, avif, reduced }) => ({
          id: source,
          cells: [source, ...[jpeg, png, webp, avif, reduced].map(figure)],
        }))}
      />
      <p>
        The last column is the least of the four formats. So a photo of a phone with 12 megapixels
        can stay a JPEG or be reduced to any format, but cannot become a WebP or AVIF in its own
        size. No picture may have more than 120 megapixels. Transparency takes room, too; a PNG in
        grey or with few colours may have 50 megapixels.
      </p>
    </>
  );
}

function Fetching({ fetchesHttp, fileMebibytes }: { fetchesHttp: boolean; fileMebibytes: number }) {
  return (
    <>
      <ul>
        <li>
          {fetchesHttp ? 'https, and plain http on this deployment' : 'https only'}, on ports 443
          and 80, without a user name or password in the URL.
        </li>
        <li>At most 3 redirects, each to a URL that would be fetched itself.</li>
        <li>15 seconds and {fileMebibytes} MiB, counted after content decoding.</li>
        <li>
          Status 200 and the bytes of a picture; nothing is cached, and no header of your request
          goes along.
        </li>
      </ul>
      <p>
        Not fetched: private, local and reserved addresses, <code>localhost</code>,{' '}
        <code>*.local</code>, <code>*.internal</code>, and this service itself. The answer then is{' '}
        <ErrorLink code="source_not_allowed" />; <ErrorLink code="source_fetch_failed" /> is
        everything that could not be fetched. Neither is charged.
      </p>
    </>
  );
}

function SigningIn(limits: Limits) {
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
          A code takes {limits.codeTries} wrong tries, and one network {limits.wrongCodesPerHour} an
          hour. An address that is guessed at gets longer codes.
        </li>
        <li>
          A session lasts {limits.sessionDays} days, and ends at once everywhere when you sign out.
        </li>
        <li>{limits.checkoutsPerDay} checkouts a day that do not lead to a payment.</li>
      </ul>
      <p>A network is an IPv4 address, or the /64 of an IPv6 address.</p>
    </>
  );
}

import type { ComponentChildren } from 'preact';
import { changeText, sizeText } from '../../text/formatting.ts';
import { useLoaded } from '../api/call.ts';
import type { Figures, SiteRecord, Statistics } from '../api/wire.ts';
import { type FilesLeft, filesLeftText, isLimitReached, monthText } from '../keys/key-state.ts';
import { Moment } from '../parts/moment.tsx';
import { apiAddress, dayAt } from '../statistics/range.ts';
import { Steps } from './new-site.tsx';
import { newSite, siteAddress } from './site-address.ts';

/** All sites with their figures of this month. */
export function SiteList({ sites, left }: { sites: readonly SiteRecord[]; left: FilesLeft }) {
  const today = dayAt(Date.now());
  const month = { from: `${today.slice(0, 8)}01`, to: today };
  const statistics = useLoaded<Statistics>(apiAddress(month, null));
  if (sites.length === 0) return <NoSites />;
  return (
    <ul class="site-list">
      {sites.map((site) => (
        <li key={site.id} class="card stack">
          <div>
            <h2>
              <a href={siteAddress(site.id)}>
                <bdi>{site.name}</bdi>
                {sites.some((one) => one.name === site.name && one !== site) && (
                  <>
                    {' '}
                    <code>{site.slug}</code>
                  </>
                )}
              </a>{' '}
              <SiteBadge site={site} />
            </h2>
            <SiteRoute site={site} />
          </div>
          <MonthFigures
            site={site}
            left={left}
            figures={statistics.body && figuresOf(statistics.body, site.id)}
            hasFailed={statistics.failure !== null}
          />
        </li>
      ))}
    </ul>
  );
}

/** From where a site has its images, and where it has them answered. */
export function SiteRoute({ site: { slug, source } }: { site: SiteRecord }) {
  return (
    <p class="soft site-route">
      <code>/i/{slug}/</code> <span aria-hidden="true">←</span>
      <span class="visually-hidden">delivers images of</span> <bdi>{source}</bdi>
    </p>
  );
}

/** What is special about a site. */
export function SiteBadge({ site }: { site: SiteRecord }) {
  if (site.status === 'paused') return <span class="badge off">Paused</span>;
  if (isLimitReached(site)) return <span class="badge warn">Limit reached</span>;
  if (site.signed) return <span class="badge off">Signed</span>;
  return null;
}

/** The figures of a site; null if it has not been used. */
function figuresOf({ keys }: Statistics, id: string): Figures | 'none' {
  return keys.find((one) => one.id === id) ?? 'none';
}

function MonthFigures({
  site,
  left,
  figures,
  hasFailed,
}: {
  site: SiteRecord;
  left: FilesLeft;
  /** Null: not loaded yet. */
  figures: Figures | 'none' | null;
  hasFailed: boolean;
}) {
  const { last_used_at: at } = site;
  return (
    <dl class="figure-list">
      <Figure name="Results this month" note={filesLeftText(site, left)}>
        <MonthResults site={site} />
      </Figure>
      <Figure name="Saved this month">{savedText(figures, hasFailed)}</Figure>
      <Figure name="Latest result">{at === null ? 'Never' : <Moment at={at} />}</Figure>
    </dl>
  );
}

/** The results of this month, with the limit if there is one. */
export function MonthResults({ site }: { site: SiteRecord }) {
  const { month_used: used, monthly_limit: limit } = site;
  return (
    <>
      {monthText(site)}
      {limit !== null && (
        <progress
          class={isLimitReached(site) ? 'bar full' : 'bar'}
          aria-label="Share of the monthly limit"
          value={Math.min(used, limit)}
          max={limit}
        />
      )}
    </>
  );
}

function savedText(figures: Figures | 'none' | null, hasFailed: boolean): string {
  if (figures === null) return hasFailed ? 'Unknown' : '…';
  if (figures === 'none' || figures.files === 0) return sizeText(0);
  const { bytes_saved, bytes_in } = figures;
  return `${sizeText(bytes_saved)}, ${changeText(bytes_in, bytes_in - bytes_saved)}`;
}

export function Figure({
  name,
  note = null,
  children,
}: {
  name: string;
  note?: string | null;
  children: ComponentChildren;
}) {
  return (
    <div>
      <dt>
        {name}
        {note && <span class="figure-note">{note}</span>}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Shown while there are no sites. */
function NoSites() {
  return (
    <div class="card stack no-sites">
      <h2>Images by URL</h2>
      <p>
        Put the address of this service in front of those of your images. Each is made smaller when
        the first visitor asks for it, in the format that this visitor’s browser shows, and kept for
        all others.
      </p>
      <Steps at={1} />
      <p>
        <a class="button primary" href={siteAddress(newSite)}>
          Begin
        </a>
      </p>
    </div>
  );
}

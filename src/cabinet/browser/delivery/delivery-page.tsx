import '../../design/delivery.css';
import '../../design/secrets.css';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../api/call.ts';
import type { List, Me, SiteRecord } from '../api/wire.ts';
import { filesLeft } from '../overview/quota-words.ts';
import { Loading } from '../parts/feedback.tsx';
import { NewSitePage } from './new-site.tsx';
import { listAddress, newSite, siteAddress } from './site-address.ts';
import { SiteList } from './site-list.tsx';
import { SitePage } from './site-page.tsx';

/** Images by URL: the list of sites, a new one, or the one in the page's URL. */
export function DeliveryPage() {
  const { query, route } = useLocation();
  const { site: shown } = query;
  const loaded = useLoaded<List<SiteRecord>>('/v1/sites');
  const account = useLoaded<Me>('/v1/me');
  const left = account.body && filesLeft(account.body);
  // What the account has left stands beside limits: nothing moves if the sites wait for it.
  const isWaiting = account.body === null && account.failure === null;
  const sites = {
    ...loaded,
    body: isWaiting ? null : loaded.body,
    isLoading: isWaiting || loaded.isLoading,
  };
  const [notice, setNotice] = useState<{ site: SiteRecord; text: string } | null>(null);
  /** What was just created, and the path of its first image, if that was typed. */
  const [created, setCreated] = useState<{ id: string; path: string } | null>(null);
  const container = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  /** What is shown when an answer comes; null: another section. */
  const current = useRef<string | null | undefined>(null);
  useLayoutEffect(() => {
    // As on a page load, what is shown next begins at the top, also for screen readers.
    if (!isFirst.current) {
      container.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
    current.current = shown;
    return () => {
      current.current = null;
    };
  }, [shown]);

  function replace(record: SiteRecord) {
    loaded.replace(({ items }) => ({
      items: items.map((one) => (one.id === record.id ? record : one)),
    }));
  }

  function gone(site: SiteRecord, text: string) {
    loaded.replace(({ items }) => ({ items: items.filter((one) => one.id !== site.id) }));
    setNotice({ site, text });
    // Unless people have gone elsewhere since they asked; so below.
    if (current.current === site.id) route(listAddress);
  }

  function add(record: SiteRecord, path: string) {
    loaded.replace(({ items }) => ({ items: [record, ...items] }));
    setCreated({ id: record.id, path });
    setNotice(null);
    // Going back leads to the list, not to the form.
    if (current.current === newSite) route(siteAddress(record.id), true);
  }

  return (
    <div class="delivery stack" tabIndex={-1} ref={container}>
      {shown === newSite ? (
        <NewSitePage onCreated={add} onOutcomeUnknown={loaded.reload} />
      ) : shown === undefined ? (
        <>
          <div class="cluster apart">
            <h1>Delivery</h1>
            {loaded.body !== null && loaded.body.items.length > 0 && (
              <a class="button primary" href={siteAddress(newSite)}>
                New site
              </a>
            )}
          </div>
          {notice && (
            <p class="notice" role="status">
              <bdi class="whole-name">{notice.site.name}</bdi> <code>{notice.site.slug}</code>{' '}
              {notice.text}
            </p>
          )}
          <Loading loaded={sites}>{({ items }) => <SiteList sites={items} left={left} />}</Loading>
        </>
      ) : (
        <Loading loaded={sites}>
          {({ items }) => {
            const site = items.find(({ id }) => id === shown);
            if (!site) return <NoSuchSite />;
            return (
              <SitePage
                key={site.id}
                site={site}
                left={left}
                firstPath={created?.id === site.id ? created.path : null}
                onChanged={replace}
                onUsed={() => {
                  loaded.reload();
                  account.reload();
                }}
                onGone={(text) => gone(site, text)}
              />
            );
          }}
        </Loading>
      )}
    </div>
  );
}

function NoSuchSite() {
  return (
    <>
      <h1>Not found</h1>
      <p>
        This site isn’t in your account. Did you sign in with a different address?{' '}
        <a href={listAddress}>Show all sites</a>
      </p>
    </>
  );
}

import '../../design/index.css';
import '../../design/shell.css';
import { type ComponentType, render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { cabinetPages } from '../../text/interface.ts';
import { OverviewPage } from '../overview/overview-page.tsx';
import { CabinetHeader } from '../shell/header.tsx';

// Other sections are loaded on demand.
const KeysPage = lazySection(() => import('../keys/keys-page.tsx').then((m) => m.KeysPage));
const DeliveryPage = lazySection(() =>
  import('../delivery/delivery-page.tsx').then((m) => m.DeliveryPage),
);
const StatisticsPage = lazySection(() =>
  import('../statistics/statistics-page.tsx').then((m) => m.StatisticsPage),
);
const PaymentPage = lazySection(() =>
  import('../payment/payment-page.tsx').then((m) => m.PaymentPage),
);
const AccountPage = lazySection(() =>
  import('../account/account-page.tsx').then((m) => m.AccountPage),
);
const TryItPage = lazySection(() =>
  import('../workbench/try-it-page.tsx').then((m) => m.TryItPage),
);

/** Timeout of loading a section, in milliseconds. */
const sectionTimeout = 20_000;

/** A section that is loaded on the first visit; `NotLoaded` if loading fails. */
function lazySection(load: () => Promise<ComponentType>) {
  return lazy(() =>
    Promise.race([load(), sectionTimedOut()]).catch((): ComponentType => NotLoaded),
  );
}

function sectionTimedOut(): Promise<never> {
  return new Promise((_, reject) => setTimeout(reject, sectionTimeout));
}

/** The signed-in part of the site: a single page with sections routed by path. */
function Cabinet() {
  return (
    <LocationProvider scope="/cabinet">
      <CabinetHeader />
      <Content />
    </LocationProvider>
  );
}

function Content() {
  const { path } = useLocation();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const [isLoading, setLoading] = useState(false);
  useEffect(reloadWhenRestored, []);
  // A layout effect, because the next key press is meant for the new section.
  useLayoutEffect(() => {
    const shown = cabinetPages.find((one) => one.path === path);
    document.title = document.title.replace(/^.*? – /, `${shown?.name ?? 'Dashboard'} – `);
    // As on a page load, screen readers continue at the top of the new content (the router scrolls there, except when
    // going back).
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <main id="main" class="page page-section" tabIndex={-1} ref={main} aria-busy={isLoading}>
      <p class="soft section-wait" role="status">
        {isLoading && <span class="late">Loading…</span>}
      </p>
      {/* The router shows the old section until the new one has loaded. */}
      <div hidden={isLoading}>
        <ErrorBoundary>
          <Router onLoadStart={() => setLoading(true)} onLoadEnd={() => setLoading(false)}>
            <Route path="/cabinet" component={OverviewPage} />
            <Route path="/cabinet/keys" component={KeysPage} />
            <Route path="/cabinet/delivery" component={DeliveryPage} />
            <Route path="/cabinet/statistics" component={StatisticsPage} />
            <Route path="/cabinet/payment" component={PaymentPage} />
            <Route path="/cabinet/account" component={AccountPage} />
            <Route path="/cabinet/try" component={TryItPage} />
            <Route default component={NoSection} />
          </Router>
        </ErrorBoundary>
      </div>
    </main>
  );
}

/** Reloads a page restored from the back/forward cache, because the user may have signed out since. */
function reloadWhenRestored(): () => void {
  const reload = (event: PageTransitionEvent) => event.persisted && location.reload();
  addEventListener('pageshow', reload);
  return () => removeEventListener('pageshow', reload);
}

function NoSection() {
  return (
    <div class="stack">
      <h1>Not found</h1>
      <p>
        There’s no page at this address. <a href="/cabinet">Back to the overview</a>
      </p>
    </div>
  );
}

function NotLoaded() {
  const [isOffline, setOffline] = useState(false);
  // A failed import may be cached until the page is reloaded. Reloading without a connection would show the browser's
  // error page.
  async function reload() {
    setOffline(false);
    const found = await fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).catch(
      () => null,
    );
    if (found?.ok) location.reload();
    else setOffline(true);
  }
  return (
    <div class="stack">
      <h1>Couldn’t load this page</h1>
      <p>Check your connection and try again.</p>
      {isOffline && <p role="alert">The service still can’t be reached.</p>}
      <p>
        <button class="button primary" type="button" onClick={reload}>
          Try again
        </button>
      </p>
    </div>
  );
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<Cabinet />, root);
}

import '../../design/index.css';
import { type ComponentType, render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { sections } from '../../text/navigation.ts';
import { ProfilePage } from '../profile/profile-page.tsx';

// what is not looked at first is loaded when it is
const KeysPage = later(() => import('../keys/keys-page.tsx').then((m) => m.KeysPage));
const StatisticsPage = later(() =>
  import('../statistics/statistics-page.tsx').then((m) => m.StatisticsPage),
);
const PaymentPage = later(() => import('../payment/payment-page.tsx').then((m) => m.PaymentPage));
const TryItPage = later(() => import('../try-it/try-it-page.tsx').then((m) => m.TryItPage));

/** Milliseconds that a section may take to come. */
const patience = 20_000;

/** A section that is loaded when it is gone to; when it does not come, one that says so. */
function later(load: () => Promise<ComponentType>) {
  return lazy(() => Promise.race([load(), tooLate()]).catch((): ComponentType => NotLoaded));
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => setTimeout(reject, patience));
}

/** The personal cabinet: one page, its sections by path. */
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
  useEffect(reloadWhenGoneBackTo, []);
  // at once: what is pressed next is for the new section
  useLayoutEffect(() => {
    const section = sections.find((one) => one.path === path);
    document.title = document.title.replace(/^.*? – /, `${section?.name ?? 'Cabinet'} – `);
    // as a page that is loaded would: readers go on at the top of the new content
    // (the router scrolls there, except on the way back)
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <main id="main" class="page page-section" tabIndex={-1} ref={main} aria-busy={isLoading}>
      <p class="soft section-wait" role="status">
        {isLoading && <span class="late">One moment …</span>}
      </p>
      {/* until the new section is there, the router goes on showing the old one */}
      <div hidden={isLoading}>
        <ErrorBoundary>
          <Router onLoadStart={() => setLoading(true)} onLoadEnd={() => setLoading(false)}>
            <Route path="/cabinet" component={ProfilePage} />
            <Route path="/cabinet/keys" component={KeysPage} />
            <Route path="/cabinet/statistics" component={StatisticsPage} />
            <Route path="/cabinet/payment" component={PaymentPage} />
            <Route path="/cabinet/try" component={TryItPage} />
            <Route default component={NoSection} />
          </Router>
        </ErrorBoundary>
      </div>
    </main>
  );
}

/** Browsers keep a page that is left and show it again as it was, be it after signing out. */
function reloadWhenGoneBackTo(): () => void {
  const reload = (event: PageTransitionEvent) => event.persisted && location.reload();
  addEventListener('pageshow', reload);
  return () => removeEventListener('pageshow', reload);
}

function NoSection() {
  return (
    <div class="stack">
      <h1>Not found</h1>
      <p>
        There is nothing at this address. <a href="/cabinet">Back to the cabinet</a>
      </p>
    </div>
  );
}

function NotLoaded() {
  const [isOffline, setOffline] = useState(false);
  // browsers may keep a failed import for as long as the page lives; without a
  // connection a new page would be the browser's own
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
      <h1>Not loaded</h1>
      <p>This part could not be loaded. Check your connection, then try again.</p>
      {isOffline && <p role="alert">There is still no connection to the service.</p>}
      <p>
        <button class="button primary" type="button" onClick={reload}>
          Try again
        </button>
      </p>
    </div>
  );
}

/** Mark, menu of the sections, and the way to the documentation. */
function CabinetHeader() {
  const { path } = useLocation();
  return (
    <header class="site-header">
      <div class="page">
        <a class="brand" href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          {serviceName()}
        </a>
        <nav class="site-nav" aria-label="Cabinet">
          {sections.map((section) => (
            <a
              key={section.path}
              href={section.path}
              aria-current={section.path === path ? 'page' : undefined}
            >
              {section.name}
            </a>
          ))}
          <a href="/docs">Docs</a>
        </nav>
      </div>
    </header>
  );
}

/** What this deployment calls itself, as the page says it. */
function serviceName(): string {
  return (
    document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ??
    document.title
  );
}

const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<Cabinet />, root);
}

import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { tabsOf } from '../../text/interface.ts';
import { isSelling, serviceName } from '../parts/page-facts.ts';
import { AccountMenu } from './account-menu.tsx';

/** One row: the link to the start page, the sections as tabs, and the account menu. */
export function CabinetHeader() {
  return (
    <header class="site-header cabinet-header">
      <div class="page">
        <a class="brand" href="/cabinet">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          <span>{serviceName()}</span>
        </a>
        <Tabs />
        <a class="docs-link" href="/docs">
          Docs
        </a>
        <AccountMenu />
      </div>
    </header>
  );
}

/** Pixels after the current tab that stay visible, to show the beginning of the next tab. */
const nextTabShown = 40;

/** The sections as tabs. If they do not fit, the row scrolls until the current one is visible. */
function Tabs() {
  const { path } = useLocation();
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !current) return;
    // Scrolls only the row: scrollIntoView would scroll the page, too.
    const end = current.offsetLeft - row.current.offsetLeft + current.offsetWidth;
    row.current.scrollLeft = end + nextTabShown - row.current.clientWidth;
  }, [path]);
  return (
    <nav class="tab-row" aria-label="Cabinet" ref={row}>
      {tabsOf(isSelling()).map((section) => (
        <a
          key={section.path}
          href={section.path}
          aria-current={section.path === path ? 'page' : undefined}
        >
          {section.name}
        </a>
      ))}
    </nav>
  );
}

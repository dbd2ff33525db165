import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { sections } from '../../text/interface.ts';
import { serviceName } from '../parts/page-facts.ts';
import { AccountMenu } from './account-menu.tsx';

/** One row: the way to the front page, the sections as tabs, and the account menu. */
export function CabinetHeader() {
  return (
    <header class="site-header cabinet-header">
      <div class="page">
        <a class="brand" href="/">
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

/** The sections. Where they do not fit, the row scrolls, and keeps the current one in view. */
function Tabs() {
  const { path } = useLocation();
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const current = row.current?.querySelector<HTMLElement>('[aria-current]');
    if (!row.current || !current) return;
    // of the row alone: scrollIntoView would scroll the page, too
    const start = current.offsetLeft - row.current.offsetLeft;
    row.current.scrollLeft = start - (row.current.clientWidth - current.offsetWidth) / 2;
  }, [path]);
  return (
    <nav class="tab-row" aria-label="Cabinet" ref={row}>
      {sections.map((section) => (
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

import { useLocation } from 'preact-iso';
import { sections } from '../../text/sections.ts';
import { serviceName } from '../service-name.ts';

/** Mark, menu of the sections, and the way to the documentation. */
export function CabinetHeader() {
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

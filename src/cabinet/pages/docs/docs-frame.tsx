import type { Child } from 'hono/jsx';
import { htmlDocument, PublicFrame, type Site } from '../frame.tsx';
import { type DocsPath, docsPages, placeOf, type Section } from './contents.ts';

interface DocsPage {
  readonly site: Site;
  readonly path: DocsPath;
  /** What the page's own table of contents lists. */
  readonly sections: readonly Section[];
  readonly lead: Child;
  readonly children: Child;
}

/** A page of the documentation: menu, content, and the way to the next one. */
export function docsPage({ site, path, sections, lead, children }: DocsPage): string {
  const { page } = placeOf(path);
  return htmlDocument({
    site,
    title: page.title,
    description: page.description,
    entry: 'docs.ts',
    children: (
      <PublicFrame site={site} current="docs">
        <div class="page docs">
          <div class="docs-side">
            <nav class="docs-menu" aria-label="Documentation">
              <Menu path={path} />
            </nav>
            <nav class="docs-menu" aria-labelledby="on-this-page">
              <p class="docs-menu-title" id="on-this-page">
                On this page
              </p>
              <SectionList sections={sections} />
            </nav>
          </div>
          <div class="docs-folds">
            <nav aria-label="Documentation">
              <details class="docs-fold">
                <summary>Documentation: {page.title}</summary>
                <Menu path={path} />
              </details>
            </nav>
            <nav aria-label="On this page">
              <details class="docs-fold">
                <summary>On this page</summary>
                <SectionList sections={sections} />
              </details>
            </nav>
          </div>
          <div class="docs-content">
            <h1>{page.title}</h1>
            <p class="docs-lead">{lead}</p>
            {children}
            <Neighbours path={path} />
          </div>
        </div>
      </PublicFrame>
    ),
  });
}

function Menu({ path }: { path: DocsPath }) {
  return (
    <ul>
      {docsPages.map((page) => (
        <li key={page.path}>
          <a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
            {page.title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function SectionList({ sections }: { sections: readonly Section[] }) {
  return (
    <ul>
      {sections.map(({ id, title, isNested }) => (
        <li key={id} class={isNested ? 'nested' : undefined}>
          <a href={`#${id}`}>{title}</a>
        </li>
      ))}
    </ul>
  );
}

function Neighbours({ path }: { path: DocsPath }) {
  const { previous, next } = placeOf(path);
  return (
    <nav class="docs-neighbours" aria-label="Previous and next page">
      {previous && (
        <a class="card" href={previous.path} rel="prev">
          <span class="soft">Previous</span> {previous.title}
        </a>
      )}
      {next && (
        <a class="card next" href={next.path} rel="next">
          <span class="soft">Next</span> {next.title}
        </a>
      )}
    </nav>
  );
}

/** A part of a page under a heading that can be linked to. */
export function DocsSection({ section, children }: { section: Section; children: Child }) {
  return (
    <section class="docs-section" id={section.id} aria-labelledby={`${section.id}-title`}>
      <h2 id={`${section.id}-title`}>
        <a class="docs-anchor" href={`#${section.id}`}>
          {section.title}
        </a>
      </h2>
      {children}
    </section>
  );
}

import type { Child } from 'hono/jsx';
import { htmlDocument, PublicFrame, type Site } from '../frame.tsx';
import { docsGroups, type Section } from './contents.ts';

/** A link in the menu, or to an adjacent page. */
export interface DocsLink {
  readonly path: string;
  readonly title: string;
}

/** Links under a common heading of the menu. */
export interface DocsLinkGroup {
  readonly name: string;
  readonly links: readonly DocsLink[];
}

interface DocsPage extends DocsLink {
  readonly site: Site;
  readonly description: string;
  /** The entries under "On this page". */
  readonly sections: readonly Section[];
  /** Whether the page has code in several languages, of which the visitor's previous choice is shown first. */
  readonly hasCodeChoices?: boolean;
  readonly lead: Child;
  readonly children: Child;
  readonly previous: DocsLink | null;
  readonly next: DocsLink | null;
  /** Pages below an entry of the menu. */
  readonly subMenu?: { readonly below: string; readonly groups: readonly DocsLinkGroup[] };
}

/** A page of the documentation: search, menu, content, and links to the adjacent pages. */
export function docsPage(page: DocsPage): string {
  const { site, title, path, description, lead, sections, hasCodeChoices, children } = page;
  return htmlDocument({
    site,
    title,
    path,
    description,
    entry: 'docs.ts',
    waitsForScript: hasCodeChoices === true,
    children: (
      <PublicFrame site={site} current="docs">
        <div class="page docs">
          <div class="docs-side">
            <SearchBox contact={site.links.contact} />
            <nav class="docs-menu" aria-label="Documentation">
              <Menu {...page} />
            </nav>
          </div>
          <div class="docs-folds">
            <nav class="docs-menu-fold" aria-label="Documentation">
              <details class="docs-fold">
                <summary>Documentation: {title}</summary>
                <Menu {...page} />
              </details>
            </nav>
            {sections.length > 0 && (
              <nav aria-label="On this page">
                <details class="docs-fold">
                  <summary>On this page</summary>
                  <SectionList sections={sections} />
                </details>
              </nav>
            )}
          </div>
          <div class="docs-content">
            <h1>{title}</h1>
            <p class="docs-lead">{lead}</p>
            {children}
            <AdjacentPages {...page} />
          </div>
          {sections.length > 0 && (
            <nav class="docs-toc" aria-labelledby="on-this-page">
              <p class="docs-menu-title" id="on-this-page">
                On this page
              </p>
              <SectionList sections={sections} />
            </nav>
          )}
        </div>
      </PublicFrame>
    ),
  });
}

/** The search box does nothing without its script, so it is hidden until the script has loaded. */
function SearchBox({ contact }: { contact: string }) {
  return (
    <search class="docs-search" data-index="/docs/search.json">
      <label class="visually-hidden" for="docs-search-query">
        Search the documentation
      </label>
      <input
        class="input"
        id="docs-search-query"
        type="search"
        placeholder="Search"
        autocomplete="off"
        spellcheck={false}
        role="combobox"
        aria-expanded="false"
        aria-autocomplete="list"
        aria-controls="docs-search-results"
      />
      <div
        class="docs-results"
        id="docs-search-results"
        role="listbox"
        aria-label="Search results"
        hidden
      />
      <p class="docs-search-status" role="status" />
      <p class="docs-search-nothing" hidden>
        See <a href="/docs/known-gaps">what the service does not do</a>
        {contact && (
          <>
            , or <a href={contact}>ask</a>
          </>
        )}
        .
      </p>
    </search>
  );
}

function Menu({ path, subMenu }: Pick<DocsPage, 'path' | 'subMenu'>) {
  return (
    <Groups
      groups={docsGroups.map(({ name, pages }) => ({ name, links: pages }))}
      current={path}
      below={(link) =>
        subMenu?.below === link && <Groups nested groups={subMenu.groups} current={path} />
      }
    />
  );
}

interface GroupsProps {
  readonly groups: readonly DocsLinkGroup[];
  /** The path of the page that is shown. */
  readonly current: string;
  readonly nested?: boolean;
  /** What is below the link with this path. */
  readonly below?: (path: string) => Child;
}

function Groups({ groups, current, nested = false, below }: GroupsProps) {
  return (
    <ul class={nested ? 'nested' : undefined}>
      {groups.map(({ name, links }) => (
        <li key={name} class="docs-menu-part">
          <span class="docs-menu-group">{name}</span>
          <ul>
            {links.map(({ path, title }) => (
              <li key={path}>
                <a href={path} aria-current={path === current ? 'page' : undefined}>
                  {title}
                </a>
                {below?.(path)}
              </li>
            ))}
          </ul>
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

function AdjacentPages({ previous, next }: Pick<DocsPage, 'previous' | 'next'>) {
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

/** A section of a page under a heading with a link to itself. */
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

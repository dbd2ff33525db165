import type { Child } from 'hono/jsx';
import type { Manifest } from 'vite';
import built from '../../../dist/cabinet/.vite/manifest.json';

/** What every page knows about the deployment. */
export interface Site {
  readonly serviceName: string;
  /** Where calls are sent, without a trailing slash. */
  readonly origin: string;
}

interface Page {
  readonly site: Site;
  /** Of this page alone; the service's name is added. */
  readonly title: string;
  readonly description?: string;
  /** The file of `browser/entries` that the page loads. */
  readonly entry: string;
  readonly children: Child;
}

/**
 * A whole HTML document. Pages that the Worker renders are hono/jsx (tsconfig.json); Preact, and with it
 * the types of the DOM, stays in browser/. Nothing in it is inline, so that the Content-Security-Policy can refuse what is.
 */
export function htmlDocument({ site, title, description, entry, children }: Page): string {
  const { script, modules, styles } = pageFiles(entry);
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title === site.serviceName ? title : `${title} – ${site.serviceName}`}</title>
        {description && <meta name="description" content={description} />}
        <meta name="application-name" content={site.serviceName} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {modules.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        <script type="module" src={script} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to the content
        </a>
        {children}
      </body>
    </html>
  );
  return `<!doctype html>\n${page}`;
}

/** The way home: mark and name of the service. */
export function Brand({ site }: { site: Site }) {
  return (
    <a class="brand" href="/">
      <img src="/favicon.svg" alt="" width="28" height="28" />
      {site.serviceName}
    </a>
  );
}

/** Head, content and foot of the public pages. */
export function PublicFrame({
  site,
  current,
  children,
}: {
  site: Site;
  current?: string;
  children: Child;
}) {
  return (
    <>
      <header class="site-header">
        <div class="page">
          <Brand site={site} />
          <nav class="site-nav" aria-label="Main">
            <a href="/#prices">Prices</a>
            <a href="/docs" aria-current={current === 'docs' ? 'true' : undefined}>
              Docs
            </a>
            {current === 'docs' ? (
              // whoever reads the docs may have signed in; the cabinet sends strangers to sign in
              <a class="button" href="/cabinet">
                Cabinet
              </a>
            ) : (
              <a class="button primary" href="/sign-in">
                Sign in
              </a>
            )}
          </nav>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer class="site-footer">
        <div class="page cluster apart">
          <span>{site.serviceName}</span>
          <nav class="cluster" aria-label="More">
            <a href="/docs">Documentation</a>
            <a href="/docs/api">API reference</a>
            <a href="/docs/errors">Errors</a>
            <a href="/v1/openapi.json">OpenAPI</a>
          </nav>
        </div>
      </footer>
    </>
  );
}

const manifest: Manifest = built;

/** What a page loads besides itself: paths on this origin, each with a hash of its content in it. */
interface PageFiles {
  readonly script: string;
  /** What the script imports, to be fetched at the same time. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
}

/**
 * The files of an entry in `src/cabinet/browser`, as Vite has built them.
 * @throws Error for an entry that is not in vite.config.ts
 */
export function pageFiles(entry: string): PageFiles {
  const chunk = manifest[`browser/entries/${entry}`];
  if (!chunk) throw new Error(`Vite has not built ${entry}.`);
  const imported = (chunk.imports ?? []).flatMap((name) => manifest[name] ?? []);
  return {
    script: `/${chunk.file}`,
    modules: imported.map(({ file }) => `/${file}`),
    // what is shared comes first, so that a page's own rules can say otherwise
    styles: [...imported, chunk]
      .flatMap(({ css }) => css ?? [])
      .sort((one, other) => Number(isShared(other)) - Number(isShared(one)))
      .map((file) => `/${file}`),
  };
}

/** Styles of several entries are a chunk of their own; Vite names them after the entry's. */
function isShared(style: string): boolean {
  return Object.values(manifest).some(({ file }) => file === style);
}

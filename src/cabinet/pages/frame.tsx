import type { Child } from 'hono/jsx';
import type { Manifest, ManifestChunk } from 'vite';
import built from '../../../dist/cabinet/.vite/manifest.json';

/** Facts about the deployment, and of its visitor, that every page needs. */
export interface Site {
  readonly serviceName: string;
  /** Base address of the API, without a trailing slash. */
  readonly origin: string;
  /** Links that the operator configures; empty ones are not shown. */
  readonly links: SiteLinks;
  /** Whether the visitor has a session cookie; the session may have ended since. */
  readonly isSignedIn?: boolean;
}

interface SiteLinks {
  readonly privacy: string;
  readonly terms: string;
  readonly contact: string;
  readonly source: string;
}

/** The license of the software, which the build copies. */
export const license = '/license.txt';

/** The settings of the Turnstile widget, which parts/human-check.tsx reads from the page. */
export interface TurnstileWidget {
  readonly siteKey: string;
  readonly origin: string;
}

interface Page {
  readonly site: Site;
  /** Title of this page, without the service's name unless `hasName`. */
  readonly title: string;
  /** Whether the title already has the service's name. */
  readonly hasName?: boolean;
  readonly description?: string;
  /** Path of the page, if other sites should show a preview of links to it. */
  readonly path?: string;
  /** The file in `browser/entries` that the page loads. */
  readonly entry: string;
  /** Whether the page shows nothing before its script runs. */
  readonly isBlank?: boolean;
  /**
   * Whether its script determines what is visible; if so, browsers that support it paint nothing before the script has
   * run.
   */
  readonly waitsForScript?: boolean;
  readonly children: Child;
}

/**
 * A complete HTML document. Pages rendered by the Worker use hono/jsx (tsconfig.json); Preact and DOM
 * types are confined to browser/. Scripts and styles are never inline: the Content-Security-Policy
 * forbids it.
 */
export function htmlDocument(facts: Page): string {
  const { site, title, hasName, description, path } = facts;
  const { entry, isBlank, waitsForScript, children } = facts;
  const { script, modules, styles, fonts } = pageFiles(entry);
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{hasName ? title : `${title} – ${site.serviceName}`}</title>
        {description && <meta name="description" content={description} />}
        {path && <LinkPreview {...facts} />}
        <meta name="application-name" content={site.serviceName} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        {fonts.map((href) => (
          // Fonts are fetched without cookies, and a preload has to use the same mode.
          <link key={href} rel="preload" as="font" type="font/woff2" crossorigin="" href={href} />
        ))}
        {styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {/* If the page is visible without its modules, they are not preloaded, to save requests. */}
        {(isBlank || waitsForScript) &&
          modules.map((href) => <link key={href} rel="modulepreload" href={href} />)}
        <script type="module" src={script} blocking={waitsForScript ? 'render' : undefined} />
      </head>
      <body>
        <a class="skip-link" href="#main">
          Skip to content
        </a>
        {children}
      </body>
    </html>
  );
  return `<!doctype html>\n${page}`;
}

/** Metadata for the previews that other sites show of a link (https://ogp.me). */
function LinkPreview({ site, title, description, path }: Page) {
  return (
    <>
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.serviceName} />
      <meta property="og:title" content={title} />
      {description && <meta property="og:description" content={description} />}
      <meta property="og:url" content={`${site.origin}${path}`} />
      <meta property="og:image" content={`${site.origin}/preview.jpg`} />
      <meta name="twitter:card" content="summary_large_image" />
    </>
  );
}

/** The link to the front page, or to the start of the cabinet: logo and name of the service. */
export function Brand({ site, href = '/' }: { site: Site; href?: string }) {
  return (
    <a class="brand" href={href}>
      <img src="/favicon.svg" alt="" width="28" height="28" />
      <span>{site.serviceName}</span>
    </a>
  );
}

/** Header, content and footer of the public pages. */
export function PublicFrame({
  site,
  current,
  children,
}: {
  site: Site;
  /** The current part of the site: `docs`, `sign-in`. */
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
            {current !== 'sign-in' && (
              <CabinetLink current={current} isSignedIn={site.isSignedIn === true} />
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
            <a href={license}>MIT license</a>
            <OperatorLinks {...site.links} />
          </nav>
        </div>
      </footer>
    </>
  );
}

/** The link to the cabinet, or to sign in; a primary action except on the docs, whose visitors came to read. */
function CabinetLink({
  current,
  isSignedIn,
}: {
  current: string | undefined;
  isSignedIn: boolean;
}) {
  return (
    <a
      class={current === 'docs' ? 'button' : 'button primary'}
      href={isSignedIn ? '/cabinet' : '/sign-in'}
    >
      {isSignedIn ? 'Dashboard' : 'Sign in'}
    </a>
  );
}

function OperatorLinks({ privacy, terms, contact, source }: SiteLinks) {
  const links = [
    ['Privacy', privacy],
    ['Terms', terms],
    ['Contact', contact],
    ['Source', source],
  ];
  return links.map(
    ([name, href]) =>
      href && (
        <a key={name} href={href}>
          {name}
        </a>
      ),
  );
}

const manifest: Manifest = built;

/** Files of a page: paths on this origin that contain a hash of the content. */
interface PageFiles {
  readonly script: string;
  /** Imports of the script, to be preloaded, as fonts are. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  readonly fonts: readonly string[];
}

/**
 * The files that Vite built for an entry in `src/cabinet/browser/entries`.
 * @throws Error for an entry that is not in vite.config.ts
 */
export function pageFiles(entry: string): PageFiles {
  const chunk = chunkOf(`browser/entries/${entry}`);
  const imported = (chunk.imports ?? []).flatMap((name) => manifest[name] ?? []);
  return {
    script: `/${chunk.file}`,
    modules: imported.map(({ file }) => `/${file}`),
    // Shared styles come first, so that the page's own styles can override them.
    styles: [...imported, chunk]
      .flatMap(({ css }) => css ?? [])
      .sort((one, other) => Number(isShared(other)) - Number(isShared(one)))
      .map((file) => `/${file}`),
    fonts: [...new Set([...imported, chunk].flatMap(({ assets }) => assets ?? []))]
      .filter((file) => file.endsWith('.woff2'))
      .map((file) => `/${file}`),
  };
}

/** The files that a page loads if it imports a module later. */
export function filesOfImport(name: string, entry: string): readonly string[] {
  const { modules } = pageFiles(entry);
  return filesOf(name).filter((file) => !modules.includes(file));
}

function filesOf(name: string): readonly string[] {
  const chunk = chunkOf(name);
  const imported = (chunk.imports ?? []).flatMap(filesOf);
  return [
    ...new Set([`/${chunk.file}`, ...(chunk.css ?? []).map((file) => `/${file}`), ...imported]),
  ];
}

/** @throws Error for a module that is not a chunk of its own */
function chunkOf(name: string): ManifestChunk {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`Vite has not built ${name}.`);
  return chunk;
}

/** Whether several entries share these styles; Vite lists such styles as a chunk of their own. */
function isShared(style: string): boolean {
  return Object.values(manifest).some(({ file }) => file === style);
}

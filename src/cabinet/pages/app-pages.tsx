import { Brand, htmlDocument, PublicFrame, type Site } from './frame.tsx';

/** Where the browser puts the sign-in form. */
export function signInPage(site: Site): string {
  return htmlDocument({
    site,
    title: 'Sign in',
    entry: 'sign-in.tsx',
    children: (
      <PublicFrame site={site}>
        <div class="page page-section narrow" id="app">
          <Waiting />
        </div>
      </PublicFrame>
    ),
  });
}

/**
 * The frame of the cabinet, which the browser fills.
 * @param takesPayments whether there is somebody to pay to on this deployment
 */
export function cabinetPage(site: Site, takesPayments: boolean): string {
  return htmlDocument({
    site,
    title: 'Cabinet',
    entry: 'cabinet.tsx',
    children: (
      <div id="app" data-payments={takesPayments ? 'on' : 'off'}>
        <header class="site-header">
          <div class="page">
            <Brand site={site} />
          </div>
        </header>
        <main id="main" class="page page-section">
          <Waiting />
        </main>
      </div>
    ),
  });
}

function Waiting() {
  return (
    <>
      <p class="soft">Loading…</p>
      <noscript>
        <p class="notice warn">
          This part needs JavaScript. Without it, the API does all that the cabinet can:{' '}
          <a href="/docs/api">see the reference</a>.
        </p>
      </noscript>
    </>
  );
}

/** A page that says one thing, and where to go from here. */
function messagePage(site: Site, title: string, text: string): string {
  return htmlDocument({
    site,
    title,
    entry: 'docs.ts',
    children: (
      <PublicFrame site={site}>
        <div class="page page-section stack">
          <h1>{title}</h1>
          <p>{text}</p>
          <p class="cluster">
            <a class="button" href="/">
              Home
            </a>
            <a class="button" href="/docs">
              Documentation
            </a>
          </p>
        </div>
      </PublicFrame>
    ),
  });
}

export function notFoundPage(site: Site): string {
  return messagePage(site, 'Not found', 'There is no page at this address.');
}

export function failedPage(site: Site, requestId: string): string {
  return messagePage(
    site,
    'Something failed on our side',
    `Try again in a moment. If it stays, quote this number: ${requestId}`,
  );
}

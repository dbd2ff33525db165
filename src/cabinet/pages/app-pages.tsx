import { Brand, htmlDocument, PublicFrame, type Site, type TurnstileWidget } from './frame.tsx';

/**
 * The page into which the browser renders the sign-in form.
 * @param turnstile null: Turnstile is off
 */
export function signInPage(site: Site, turnstile: TurnstileWidget | null): string {
  return htmlDocument({
    site,
    title: 'Sign in',
    entry: 'sign-in.tsx',
    isBlank: true,
    children: (
      <PublicFrame site={site}>
        <div
          class="page page-section narrow"
          id="app"
          data-turnstile-key={turnstile?.siteKey}
          data-turnstile-origin={turnstile?.origin}
        >
          <Placeholder />
        </div>
      </PublicFrame>
    ),
  });
}

/**
 * The page into which the browser renders the cabinet.
 * @param takesPayments whether this deployment takes payments
 */
export function cabinetPage(site: Site, takesPayments: boolean): string {
  return htmlDocument({
    site,
    title: 'Cabinet',
    entry: 'cabinet.tsx',
    isBlank: true,
    children: (
      <div id="app" data-payments={takesPayments ? 'on' : 'off'}>
        <header class="site-header">
          <div class="page">
            <Brand site={site} />
          </div>
        </header>
        <main id="main" class="page page-section">
          <Placeholder />
        </main>
      </div>
    ),
  });
}

function Placeholder() {
  return (
    <>
      <p class="soft">Loading…</p>
      <noscript>
        <p class="notice warn">
          This page needs JavaScript. Everything it does is also available through the{' '}
          <a href="/docs/api">API</a>.
        </p>
      </noscript>
    </>
  );
}

/**
 * The page of a link that ends mails about quota. Programs that look at links in mails change nothing by that: it takes a
 * click on the button.
 * @param state `unused`: it can be used; `done`: it just has been; `invalid`: it has been before, or was never issued
 */
export function unsubscribePage(site: Site, state: 'unused' | 'done' | 'invalid'): string {
  return htmlDocument({
    site,
    title: 'Quota mails',
    entry: 'docs.ts',
    children: (
      <PublicFrame site={site}>
        <div class="page page-section stack">
          <h1>Quota mails</h1>
          {state === 'unused' && (
            <>
              <p>You get a mail when your quota runs low and when it runs out.</p>
              <form method="post">
                <button class="button primary" type="submit">
                  Stop these mails
                </button>
              </form>
            </>
          )}
          {state === 'done' && (
            <p>
              Done: you won’t get any more of these mails. You can turn them on again in your
              account.
            </p>
          )}
          {state === 'invalid' && (
            <p>
              This link has already been used, or is incomplete. Your account shows whether these
              mails are on.
            </p>
          )}
          {state !== 'unused' && (
            <p>
              <a class="button" href="/cabinet/account">
                Open your account
              </a>
            </p>
          )}
        </div>
      </PublicFrame>
    ),
  });
}

/** A page with a message and links to go on. */
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
  return messagePage(site, 'Not found', 'There’s no page at this address.');
}

export function failedPage(site: Site, requestId: string): string {
  return messagePage(
    site,
    'Something went wrong on our side',
    `Try again in a moment. If the problem persists, quote this request ID: ${requestId}`,
  );
}

import type { AllowedDomains } from '../../access/allowed-domains.ts';
import { tabsOf } from '../text/interface.ts';
import { Brand, htmlDocument, PublicFrame, type Site, type TurnstileWidget } from './frame.tsx';

/** The facts about signing in that the page contains. */
interface SignInTerms {
  readonly freeFilesPerMonth: number;
  readonly allowedEmailDomains: AllowedDomains;
  /** Null: Turnstile is off. */
  readonly turnstile: TurnstileWidget | null;
}

/** The page into which the browser renders the sign-in form. */
export function signInPage(site: Site, terms: SignInTerms): string {
  const { freeFilesPerMonth, allowedEmailDomains: domains, turnstile } = terms;
  return htmlDocument({
    site,
    title: 'Sign in',
    entry: 'sign-in.tsx',
    isBlank: true,
    children: (
      <PublicFrame site={site} current="sign-in">
        <div
          class="page page-section narrow sign-in-page"
          id="app"
          data-free-files={freeFilesPerMonth}
          data-email-domains={[...domains].join(' ')}
          data-contact={site.links.contact || undefined}
          data-turnstile-key={turnstile?.siteKey}
          data-turnstile-origin={turnstile?.origin}
        >
          <Placeholder />
        </div>
      </PublicFrame>
    ),
  });
}

/** A request for a page of the cabinet: its path, the account, and what the page has to offer. */
interface CabinetVisit {
  readonly path: string;
  readonly email: string;
  /** Whether packs are for sale. */
  readonly isSelling: boolean;
}

/** The page into which the browser renders the cabinet. Its header looks the same before and after rendering. */
export function cabinetPage(site: Site, { path, email, isSelling }: CabinetVisit): string {
  return htmlDocument({
    site,
    title: 'Dashboard',
    entry: 'cabinet.tsx',
    isBlank: true,
    children: (
      <div
        id="app"
        data-email={email}
        data-payments={isSelling ? 'on' : 'off'}
        data-contact={site.links.contact || undefined}
      >
        <header class="site-header cabinet-header">
          <div class="page">
            <Brand site={site} href="/cabinet" />
            <nav class="tab-row" aria-label="Dashboard">
              {tabsOf(isSelling).map((section) => (
                <a
                  key={section.path}
                  href={section.path}
                  aria-current={section.path === path ? 'page' : undefined}
                >
                  {section.name}
                </a>
              ))}
            </nav>
            <a class="docs-link" href="/docs">
              Docs
            </a>
            <span class="avatar" aria-hidden="true">
              {email.slice(0, 1).toUpperCase()}
            </span>
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
      <p class="soft loading">Loading…</p>
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
 * The page that a link in a quota email opens. Email scanners that follow links change nothing, because unsubscribing
 * takes a click on the button.
 * @param state `unused`: the link can be used; `done`: it has just been used; `invalid`: it was used before, or never
 * issued
 */
export function unsubscribePage(site: Site, state: 'unused' | 'done' | 'invalid'): string {
  return htmlDocument({
    site,
    title: 'Email notifications',
    entry: 'docs.ts',
    children: (
      <PublicFrame site={site}>
        <div class="page page-section stack">
          <h1>Email notifications</h1>
          {state === 'unused' && (
            <>
              <p>You get an email when your quota runs low and when it runs out.</p>
              <form method="post">
                <button class="button primary" type="submit">
                  Stop these emails
                </button>
              </form>
            </>
          )}
          {state === 'done' && (
            <p>
              Done: you won’t get any more of these emails. You can turn them on again in your
              account.
            </p>
          )}
          {state === 'invalid' && (
            <p>
              This link no longer works: it was used, or the setting has been changed since. Your
              account shows whether these emails are on.
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

/** A page with a message and links to continue. */
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

/** A page for an error of the error table. */
export function errorPage(site: Site, title: string, detail: string): string {
  return messagePage(site, title, detail);
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

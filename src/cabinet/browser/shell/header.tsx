import type { TargetedFocusEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { accountPage, tabsOf } from '../../text/interface.ts';
import { useAction } from '../api/call.ts';
import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../parts/feedback.tsx';
import { nextEntry } from '../parts/menu-keys.ts';
import { isSelling, ownEmail, serviceName } from '../parts/page-facts.ts';

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
    <nav class="tab-row" aria-label="Dashboard" ref={row}>
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

/**
 * The avatar and its menu, following the menu button pattern of the ARIA Authoring Practices Guide
 * (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). It is not a native popover, because Safari supports those
 * from version 17 on, and this site supports Safari 16.4.
 */
function AccountMenu() {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  /** The item that has the focus when the menu opens. */
  const [first, setFirst] = useState(0);
  const container = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const email = ownEmail();

  // A link in the menu has opened another page.
  useLayoutEffect(() => setOpen(false), [path]);
  // A layout effect, so that not even a click right after the menu has appeared is missed.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const closeFromOutside = (event: PointerEvent) => {
      if (!container.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', closeFromOutside);
    return () => removeEventListener('pointerdown', closeFromOutside);
  }, [isOpen]);

  function open(item: number) {
    setFirst(item);
    setOpen(true);
  }

  function openByArrow(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(event.key === 'ArrowDown' ? 0 : -1);
  }

  return (
    <div class="account-menu" ref={container}>
      <button
        class="avatar"
        type="button"
        ref={button}
        aria-label="Account menu"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? 'account-menu' : undefined}
        onClick={() => (isOpen ? setOpen(false) : open(0))}
        onKeyDown={openByArrow}
      >
        <span aria-hidden="true">{email.slice(0, 1).toUpperCase()}</span>
      </button>
      {isOpen && (
        <Menu
          email={email}
          first={first}
          onEscape={() => {
            setOpen(false);
            button.current?.focus();
          }}
          onLeave={() => setOpen(false)}
        />
      )}
    </div>
  );
}

/** The open menu, which keeps the focus on one of its items. */
function Menu({
  email,
  first,
  onEscape,
  onLeave,
}: {
  email: string;
  /** Index of the item focused first; negative indexes count from the end. */
  first: number;
  onEscape: () => void;
  onLeave: () => void;
}) {
  const { isBusy, failure, signOut } = useSignOut();
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useLayoutEffect(() => items().at(first)?.focus(), []);

  function move(event: KeyboardEvent) {
    const all = items();
    const current = all.findIndex((item) => item.matches(':focus'));
    const next = nextEntry(event.key, current, all);
    if (next) next.focus();
    else if (event.key === 'Escape') onEscape();
    else return;
    event.preventDefault();
  }

  function leave(event: TargetedFocusEvent<HTMLElement>) {
    const next = event.relatedTarget;
    // null: the focus moves because of a click, which closeFromOutside handles
    if (next instanceof Node && !event.currentTarget.contains(next)) onLeave();
  }

  return (
    <div class="card menu-card" onBlurCapture={leave}>
      <p class="menu-head">
        <span class="soft">Signed in as</span>
        <bdi>{email}</bdi>
      </p>
      {}
      <div
        class="menu"
        role="menu"
        id="account-menu"
        aria-label="Account"
        tabIndex={-1}
        ref={menu}
        onKeyDown={move}
      >
        <a role="menuitem" tabIndex={-1} href={accountPage.path} onClick={onLeave}>
          {accountPage.name}
        </a>
        <a role="menuitem" tabIndex={-1} href="/docs">
          Docs
        </a>
        <hr />
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={isBusy}
          onClick={() => void signOut(false)}
        >
          {isBusy ? 'Signing out…' : 'Sign out'}
        </button>
      </div>
      <FailureNotice failure={failure} />
    </div>
  );
}

export interface SignOut {
  readonly isBusy: boolean;
  readonly failure: Failure | null;
  /** Ends this session, or all sessions of the user if `everywhere`, and navigates to the front page. */
  readonly signOut: (everywhere: boolean) => Promise<void>;
}

/** The state of signing out. */
export function useSignOut(): SignOut {
  const { isBusy, failure, run } = useAction();
  const isSignedOut = failure?.code === 'auth_required';
  useEffect(() => {
    // The session had already ended, which is what the user wants.
    if (isSignedOut) location.assign('/');
  }, [isSignedOut]);

  async function signOut(everywhere: boolean) {
    if (isBusy) return;
    if (await run('POST', '/v1/auth/logout', { everywhere })) location.assign('/');
  }

  return { isBusy, failure: isSignedOut ? null : failure, signOut };
}

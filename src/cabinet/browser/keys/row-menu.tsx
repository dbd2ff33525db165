import { Fragment } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { nextEntry } from '../parts/menu-keys.ts';

export interface MenuItem {
  readonly label: string;
  /** Whether the item is destructive; a line separates it from those before it. */
  readonly isDangerous?: boolean;
  readonly onChoose: () => void;
}

/**
 * A button that opens a menu, following the menu button pattern of the ARIA Authoring Practices
 * (https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/). Its items are created when it opens.
 */
export function RowMenu({ label, items }: { label: string; items: () => readonly MenuItem[] }) {
  /** The item that gets the focus first; null while the menu is closed. */
  const [opened, setOpened] = useState<'first' | 'last' | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  function close() {
    setOpened(null);
  }

  return (
    <>
      <button
        class="row-menu-button"
        type="button"
        ref={button}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened !== null}
        aria-controls={opened === null ? undefined : id}
        onClick={() => setOpened(opened === null ? 'first' : null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpened(event.key === 'ArrowDown' ? 'first' : 'last');
        }}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="3" cy="8" r="1.4" />
          <circle cx="8" cy="8" r="1.4" />
          <circle cx="13" cy="8" r="1.4" />
        </svg>
      </button>
      {opened !== null && (
        <OpenMenu
          id={id}
          label={label}
          items={items()}
          button={button.current}
          focused={opened}
          onClose={close}
        />
      )}
    </>
  );
}

function OpenMenu({
  id,
  label,
  items,
  button,
  focused,
  onClose,
}: {
  id: string;
  label: string;
  items: readonly MenuItem[];
  button: HTMLButtonElement | null;
  focused: 'first' | 'last';
  onClose: () => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];

  useLayoutEffect(() => {
    if (menu.current && button) position(menu.current, button);
    entries()
      .at(focused === 'first' ? 0 : -1)
      ?.focus({ preventScroll: true });
  }, []);
  useEffect(() => closeWhenLeft(menu, button, onClose), []);

  /** Closes the menu and focuses its button, so that a dialog opened by an item returns the focus there. */
  function leave() {
    button?.focus();
    onClose();
  }

  function press(event: KeyboardEvent) {
    const all = entries();
    const next = nextEntry(event.key, all.indexOf(document.activeElement as HTMLElement), all);
    if (next) next.focus();
    else if (event.key === 'Escape') leave();
    else if (event.key === 'Tab') return leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div class="row-menu" role="menu" id={id} aria-label={label} ref={menu} onKeyDown={press}>
      {items.map(({ label, isDangerous, onChoose }) => (
        <Fragment key={label}>
          {isDangerous && <hr />}
          <button
            class={isDangerous ? 'danger' : undefined}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              leave();
              onChoose();
            }}
          >
            {label}
          </button>
        </Fragment>
      ))}
    </div>
  );
}

/** Positions a menu aligned with the right end of its button: below it, or above if there is more room. */
function position(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, right } = button.getBoundingClientRect();
  const gap = 4;
  const isBelow = bottom + gap + menu.offsetHeight <= innerHeight || top < innerHeight - bottom;
  const edge = isBelow ? bottom + gap : top - gap - menu.offsetHeight;
  menu.style.top = `${Math.max(gap, edge)}px`;
  menu.style.left = `${Math.max(gap, right - menu.offsetWidth)}px`;
}

/** Closes a menu when something else is pressed or focused, or when scrolling or resizing moves its button. */
function closeWhenLeft(
  menu: { readonly current: HTMLElement | null },
  button: HTMLElement | null,
  onClose: () => void,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const isElsewhere = ({ target }: Event) =>
    !(target instanceof Node && (menu.current?.contains(target) || button?.contains(target)));
  const closeIfOutside = (event: Event) => isElsewhere(event) && onClose();
  document.addEventListener('pointerdown', closeIfOutside, { signal });
  document.addEventListener('focusin', closeIfOutside, { signal });
  document.addEventListener('scroll', onClose, { signal, capture: true });
  addEventListener('resize', onClose, { signal });
  return () => stop.abort();
}

/** What the Worker has written into the page about this deployment and whoever is signed in (pages/app-pages.tsx). */

function facts(): DOMStringMap {
  return document.getElementById('app')?.dataset ?? {};
}

/** The name of this deployment. */
export function serviceName(): string {
  return (
    document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ??
    document.title
  );
}

/** The address that is signed in. */
export function ownEmail(): string {
  return facts().email ?? '';
}

/** Whether there are packs of files that can be paid for. */
export function isSelling(): boolean {
  return facts().payments === 'on';
}

/** Files per month that are free. */
export function freeFilesPerMonth(): number {
  return Number(facts().freeFiles);
}

/** The email domains that may sign in; `*`: all. */
export function allowedDomains(): readonly string[] | '*' {
  const text = facts().emailDomains ?? '*';
  return text === '*' ? '*' : text.split(' ');
}

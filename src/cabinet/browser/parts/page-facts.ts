/**
 * Facts about this deployment and the signed-in user, which the Worker has written into the page (pages/app-pages.tsx).
 */

import type { AllowedDomains } from '../../../access/allowed-domains.ts';

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

/** The email address of the signed-in user. */
export function ownEmail(): string {
  return facts().email ?? '';
}

/** Whether packs of files are for sale. */
export function isSelling(): boolean {
  return facts().payments === 'on';
}

/** Free files per month. */
export function freeFilesPerMonth(): number {
  return Number(facts().freeFiles);
}

/** The email domains that may sign in; `*`: all. */
export function allowedDomains(): AllowedDomains {
  const text = facts().emailDomains ?? '*';
  return text === '*' ? '*' : new Set(text.split(' '));
}

/** The address at which the operator can be reached, also one with `mailto:`; null: none is published. */
export function operatorContact(): string | null {
  return facts().contact ?? null;
}

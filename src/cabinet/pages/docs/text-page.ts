import { raw } from 'hono/html';
import { countText, filesText, moneyText } from '../../text/formatting.ts';
import { type RetentionSettings, retentionOf } from '../../text/retention.ts';
import type { Site } from '../frame.tsx';
import { type BuiltDocsPage, type DocsPath, placeOf } from './contents.ts';
import { docsPage } from './docs-frame.tsx';

/** The settings of a deployment that the text mentions. */
export interface DocsSettings extends RetentionSettings {
  /** Whether a machine of the operator runs the service, instead of Cloudflare. */
  readonly isOnNode: boolean;
  readonly freeFilesPerMonth: number;
  readonly maxFilesPerMinute: number;
  readonly maxNewResultsPerMinute: number;
  readonly unchargedPerDay: number;
  readonly mailsPerDay: number;
  readonly unchargedCpuMsPerDay: number;
  readonly allowHttpSources: boolean;
  /** Null if nothing is sold. */
  readonly stripe: object | null;
  readonly packs: readonly {
    readonly files: number;
    readonly amount: number;
    readonly currency: string;
  }[];
}

/** A page of `docs/`, with the settings of this deployment in place of the defaults. */
export function textPage(
  site: Site,
  path: DocsPath,
  built: BuiltDocsPage,
  settings: DocsSettings,
): string {
  const { page, previous, next } = placeOf(path);
  const words = { origin: site.origin, ...settingWords(settings) };
  return docsPage({
    site,
    path,
    title: page.title,
    description: page.description,
    sections: built.sections,
    hasCodeChoices: built.html.includes('class="code-choice"'),
    lead: raw(withSettings(built.lead, words)),
    children: raw(withSettings(built.html, words)),
    previous,
    next,
  });
}

/** The replacements for `<!-- setting: name -->`; a test compares the defaults with the text. */
export function settingWords(settings: DocsSettings): Readonly<Record<string, string>> {
  const { images, requests, inTable } = retentionOf(settings);
  const packs = (settings.stripe ? settings.packs : []).map(
    ({ files, amount, currency }) => `${filesText(files)} for ${moneyText(amount, currency)}`,
  );
  return {
    freeFilesPerMonth: countText(settings.freeFilesPerMonth),
    maxFilesPerMinute: countText(settings.maxFilesPerMinute),
    maxNewResultsPerMinute: countText(settings.maxNewResultsPerMinute),
    unchargedPerDay: countText(settings.unchargedPerDay),
    mailsPerDay: countText(settings.mailsPerDay),
    unchargedSeconds: countText(settings.unchargedCpuMsPerDay / 1000),
    sourceSchemes: settings.allowHttpSources
      ? 'https, and plain http on this deployment'
      : 'https only',
    retention: `${images} ${requests}`,
    keptImages: inTable,
    packs: packs.length > 0 ? packs.join(', ') : 'nothing on this deployment',
    orBuyMore: packs.length > 0 ? ', buy more files,' : ',',
    ...(settings.isOnNode ? onNode : onWorkers),
  };
}

const onWorkers = {
  addresses:
    'The service has no fixed IP addresses, neither for calls to it nor for image URLs that it fetches: it runs on Cloudflare Workers. Do not rely on addresses in firewall rules.',
  memory: 'An isolate of Cloudflare Workers has 128 MB of memory.',
  counting: 'approximate and counted per Cloudflare location',
  threads: 'one thread',
};

const onNode: typeof onWorkers = {
  addresses:
    'The service runs on a server of its operator, who can tell you the IP addresses for calls to it and for image URLs that it fetches. Ask before you rely on them in firewall rules.',
  memory:
    'This page was made for the 128 MB of an isolate of Cloudflare Workers; where the operator allows more memory, larger images fit than it says.',
  counting: 'approximate',
  threads: 'threads',
};

/** @throws Error if there is no replacement for a setting, because the text and this file disagree */
function withSettings(html: string, words: Readonly<Record<string, string>>): string {
  return html.replace(/<!-- setting: (\w+) -->.*?<!-- \/setting -->/g, (_, name: string) =>
    escaped(words[name] ?? missing(name)),
  );
}

function missing(name: string): never {
  throw new Error(`docs/ names the setting ${name}, which there is not.`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

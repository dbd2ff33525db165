import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { renderDocs } from '../../../scripts/docs/markdown.ts';
import { createApp } from '../../../src/app.ts';
import { docsPages } from '../../../src/cabinet/pages/docs/contents.ts';
import type { ApiDocument } from '../../../src/cabinet/pages/docs/reference/api-document.ts';
import { referenceEntries } from '../../../src/cabinet/pages/docs/reference/reference-entries.ts';
import { type SearchEntry, searchDocs } from '../../../src/cabinet/text/docs-search.ts';
import { apiDocument } from '../../../src/routes/openapi.ts';
import { configWith } from '../../support/config.ts';
import { cpuMilliseconds } from '../../support/time.ts';

const folder = join(import.meta.dirname, '../../../docs');

/** Queries that newcomers type, and where they have to lead. */
const questions = [
  // how to do something
  ['resize to webp in php', '/docs/recipes#resize-to-webp'],
  ['resize image', '/docs/recipes#resize-to-webp'],
  ['convert to avif', '/docs/recipes#convert-to-avif'],
  ['fit into 100 kb', '/docs/recipes#fit-into-100-kb'],
  ['same quality in every format', '/docs/recipes#the-same-look-in-every-format'],
  ['gif', '/docs/animations#from-which-format-to-which'],
  ['gif to webp', '/docs/animations#from-which-format-to-which'],
  ['compress gif', '/docs/recipes#a-smaller-animation'],
  ['animated gif', '/docs/recipes#a-smaller-animation'],
  ['apng', '/docs/animations#from-which-format-to-which'],
  ['first frame', '/docs/animations#the-first-frame'],
  ['frame delay', '/docs/animations#timing'],
  ['loop count', '/docs/animations#timing'],
  ['maximum frames', '/docs/animations#how-large-an-animation-may-be'],
  ['square thumbnail', '/docs/recipes#a-square-thumbnail'],
  ['how do I use it in Ruby?', '/docs#send-an-image'],
  ['golang', '/docs#send-an-image'],
  ['python example', '/docs#send-an-image'],
  ['rotate a key without downtime', '/docs/keys#rotate-a-key-without-downtime'],
  ['key rotation', '/docs/keys#rotate-a-key-without-downtime'],
  ['limit what a key may use', '/docs/keys#cap-what-a-key-may-use'],
  ['cap per key', '/docs/keys#cap-what-a-key-may-use'],
  ['key expiry', '/docs/keys#let-a-key-expire'],
  ['leaked key', '/docs/keys#a-key-has-leaked'],
  ['unsubscribe from mails', '/docs/accounts#quota-mails'],
  ['retry after an error', '/docs#when-something-goes-wrong'],
  ['keep exif copyright', '/docs/recipes#keep-the-copyright'],
  ['command line', '/docs/cli'],
  ['npx', '/docs/cli#in-two-minutes'],
  ['vite plugin', '/docs/vite'],
  ['github action', '/docs/action'],
  ['images of a pull request', '/docs/action#in-two-minutes'],
  ['optimize a folder of images with a cli', '/docs/cli#in-two-minutes'],
  ['tinypng', '/docs/tinify#what-stays-and-what-changes'],
  ['migrate from tinify', '/docs/tinify#what-stays-and-what-changes'],
  ['wordpress plugin', '/docs/tinify#wordpress'],
  ['tinify python', '/docs/tinify#python'],
  ['next.js image loader', '/docs/delivery#code-for-a-page'],
  ['srcset', '/docs/delivery#code-for-a-page'],
  ['nuxt image', '/docs/delivery#code-for-a-page'],
  ['sign a url in python', '/docs/signing#sign-a-url'],
  ['secret of a site has leaked', '/docs/signing#replace-a-secret'],
  ['imgproxy alternative', '/docs/comparison#images-by-url-where-they-are-made'],
  ['deploy to cloudflare', '/docs/deploy#on-cloudflare'],
  // what something means, in any spelling
  ['larger-format', '/docs/call#larger-format'],
  ['larger_format', '/docs/call#larger-format'],
  ['what does larger format mean', '/docs/call#larger-format'],
  ['Image-Reason', '/docs/call#image-reason'],
  ['Image-Frames', '/docs/call#image-frames'],
  ['quota_exceeded', '/docs/errors#quota_exceeded'],
  ['quota exceeded', '/docs/errors#quota_exceeded'],
  ['key_limit_exceeded', '/docs/errors#key_limit_exceeded'],
  ['invalid api key', '/docs/errors#invalid_api_key'],
  ['api key not working', '/docs/errors#invalid_api_key'],
  ['401', '/docs/errors#invalid_api_key'],
  ['402 payment required', '/docs/errors#quota_exceeded'],
  ['lost my key', '/docs/keys#create-a-key'],
  ['what is image_too_large', '/docs/errors#image_too_large'],
  ['monthly_limit', '/docs/keys#monthly_limit'],
  ['overlap_hours', '/docs/api/reissueKey#body-overlap_hours'],
  ['background', '/docs/options#background'],
  ['animation', '/docs/options#animation'],
  ['max_bytes', '/docs/options#max_bytes'],
  ['ssimulacra2', '/docs/fidelity#visible-quality'],
  ['max_bytes_unreachable', '/docs/errors#max_bytes_unreachable'],
  ['MAX_FILES_PER_MINUTE', '/docs/deploy#max_files_per_minute'],
  ['reissueKey', '/docs/api/reissueKey'],
  // how much and how fast
  ['timeout', '/docs/limits#timeouts'],
  ['rate limits', '/docs/limits#rate-limits'],
  ['max file size', '/docs/limits#file-size'],
  ['ip address allowlist', '/docs/limits#ip-addresses'],
  ['price per image', '/docs/limits#what-files-cost-and-which-are-free'],
  // typos
  ['qualty', '/docs/options#quality'],
  ['invalid_api_kye', '/docs/errors#invalid_api_key'],
  ['statisitcs', '/docs/accounts#statistics'],
] as const;

/** What newcomers type, whether there is such a thing or not, and the page that answers. */
const topics = {
  '/docs/accounts': [
    ...['invoice', 'receipt', 'vat', 'team', 'invite a colleague', 'cancel subscription', 'refund'],
    ...['upgrade my plan', 'gdpr', 'privacy', 'delete my account', 'forgot password', 'sso', '2fa'],
    ...['change email address', 'export my data', 'sign in with google'],
  ],
  '/docs/known-gaps': [
    ...[
      'watermark',
      'heic',
      'iphone photos',
      'svg',
      'pdf',
      'video',
      'upscale',
      'remove background',
    ],
    ...[
      'webhook',
      'async',
      's3',
      'shopify',
      'drupal',
      'figma',
      'webpack',
      'cors',
      'sla',
      'support',
    ],
  ],
  '/docs/node': ['ssl', 'smtp', 'mail server', 'sqlite', 'without cloudflare', 'nginx'],
  '/docs/self-hosting': [
    'raspberry pi',
    'docker',
    'kubernetes',
    'backup',
    'restore',
    'systemd',
    'caddy',
  ],
  '/docs/operations': ['prometheus', 'grafana', 'monitoring', 'alerts', 'health check', 'rollback'],
  '/docs/deploy': [
    'rename the service',
    'change logo',
    'stripe',
    'environment variables',
    'turnstile',
    'custom domain',
  ],
  '/docs/options': ['blurhash', 'placeholder', 'focal point', 'smart crop', 'strip metadata'],
  '/docs/recipes': ['bulk', 'lazy loading', 'retina', 'avatar', 'transparent png to jpg'],
  '/docs/delivery': ['cdn', 'react', 'vue', 'astro', 'cache purge', 'responsive images'],
  '/docs/tinify': ['wordpress', 'laravel', 'django', 'rails', 'woocommerce', 'java', 'c#'],
  '/docs/cli': ['library', 'typescript', 'offline', 'watch a folder'],
  '/docs': ['sdk', 'getting started', 'php example'],
  '/docs/call': ['free tier', 'pricing', 'multipart upload'],
  '/docs/limits': [
    'how big can an image be',
    'how many images can i send',
    'concurrency',
    'too many requests',
  ],
  '/docs/comparison': [
    'is it open source',
    'can i use it commercially',
    'shortpixel',
    'squoosh',
    'alternatives',
    'sharp',
    'imagemagick',
  ],
  '/docs/fidelity': [
    'photo is sideways',
    'colors look different',
    'icc profile',
    'color shift',
    'hdr',
    'cmyk',
  ],
  '/docs/changelog': ['changelog', 'release notes', 'whats new'],
} as const;

let entries: readonly SearchEntry[];

beforeAll(() => {
  const described = JSON.stringify(apiDocument(createApp(configWith({})), 'Service'));
  const pages = docsPages.flatMap(({ path, file }) => {
    if (file === null) return [];
    return renderDocs(readFileSync(join(folder, file), 'utf8'), path, () => [1, 1], '').search;
  });
  entries = [...pages, ...referenceEntries(JSON.parse(described) as ApiDocument)];
});

describe('search of the documentation answers', () => {
  it.each([
    ['price', '/docs/limits#what-files-cost-and-which-are-free'],
    ['pricing', '/docs/limits#what-files-cost-and-which-are-free'],
    ['cost', '/docs/limits#what-files-cost-and-which-are-free'],
    ['how much does it cost', '/docs/limits#what-files-cost-and-which-are-free'],
    ['free', '/docs/limits#what-files-cost-and-which-are-free'],
    ['docker', '/docs/self-hosting#with-containers'],
    ['resize', '/docs/recipes#resize-to-webp'],
    ['convert', '/docs/recipes#convert-to-avif'],
    ['python', '/docs#send-an-image'],
    ['php', '/docs#send-an-image'],
    ['node', '/docs/node'],
    ['errors', '/docs/errors'],
    ['tinify', '/docs/tinify'],
    ['delete account', '/docs/accounts#delete-your-account'],
  ])('"%s" with %s first', (query, path) => {
    expect(searchDocs(entries, query)[0]?.entry.path).toBe(path);
  });

  it.each(questions)('"%s" with %s, first or second', (query, path) => {
    const [first, second] = searchDocs(entries, query).map(({ entry }) => entry.path);
    expect([first, second]).toContain(path);
  });

  const phrasings = Object.entries(topics).flatMap(([page, queries]) =>
    queries.map((query) => [query, page] as const),
  );

  it('at least 60 phrasings of newcomers', () => {
    expect(phrasings.length).toBeGreaterThanOrEqual(60);
  });

  it.each(phrasings)('"%s" with a part of %s, among the first three', (query, page) => {
    const found = searchDocs(entries, query).map(({ entry }) => entry.path.split('#')[0]);
    expect(found.slice(0, 3)).toContain(page);
  });

  it('every name of an error, an option or a header with its own place first', {
    tags: 'slow',
  }, () => {
    const names = entries.filter(({ path }) => /^\/docs\/(errors|options)#[a-z_]+$/.test(path));
    expect(names.length).toBeGreaterThan(40);
    for (const { heading, path } of names) {
      expect(searchDocs(entries, heading)[0]?.entry.path, heading).toBe(path);
    }
  });

  it('within a few milliseconds', { tags: 'slow' }, () => {
    const all = cpuMilliseconds(() => {
      for (const [query] of questions) searchDocs(entries, query);
    });
    expect(all / questions.length).toBeLessThan(50);
  });
});

import { countText } from '../../text/formatting.ts';
import type { Site } from '../frame.tsx';
import { DocsSection, docsPage } from './docs-frame.tsx';
import { ImageUrls } from './limits/image-urls.tsx';
import type { Limits } from './limits/limits.ts';
import { Megapixels } from './limits/megapixels.tsx';
import { Quota } from './limits/quota.tsx';
import { Rates } from './limits/rates.tsx';
import { SignIn } from './limits/sign-in.tsx';
import { Sizes } from './limits/sizes.tsx';

const parts = {
  sizes: { id: 'sizes', title: 'How large a file' },
  pixels: { id: 'pixels', title: 'How many pixels' },
  quota: { id: 'quota', title: 'How many files' },
  rates: { id: 'rates', title: 'How often' },
  urls: { id: 'urls', title: 'Image URLs' },
  keys: { id: 'keys', title: 'Keys and statistics' },
  signIn: { id: 'sign-in', title: 'Codes and sessions' },
} as const;

/** /docs/limits: how large, how many and how often. */
export function limitsPage(site: Site, limits: Limits): string {
  const { sizes, keys } = limits;
  return docsPage({
    site,
    path: '/docs/limits',
    sections: Object.values(parts),
    lead: 'How large, how many and how often. Numbers that a deployment can set are those of this one.',
    children: (
      <>
        <DocsSection section={parts.sizes}>
          <Sizes {...sizes} />
        </DocsSection>
        <DocsSection section={parts.pixels}>
          <Megapixels most={sizes.megapixels} />
        </DocsSection>
        <DocsSection section={parts.quota}>
          <Quota {...limits.quota} />
        </DocsSection>
        <DocsSection section={parts.rates}>
          <Rates />
        </DocsSection>
        <DocsSection section={parts.urls}>
          <ImageUrls {...limits.urls} fileMebibytes={sizes.fileMebibytes} />
        </DocsSection>
        <DocsSection section={parts.keys}>
          <ul>
            <li>
              {countText(keys.active)} active keys per user, and {countText(keys.records)} with the
              revoked ones.
            </li>
            <li>
              A name of 1 to {keys.nameCharacters} characters, a comment of up to{' '}
              {keys.commentCharacters}.
            </li>
            <li>Statistics over at most {keys.statisticsDays} days at once.</li>
          </ul>
        </DocsSection>
        <DocsSection section={parts.signIn}>
          <SignIn {...limits.signIn} />
        </DocsSection>
      </>
    ),
  });
}

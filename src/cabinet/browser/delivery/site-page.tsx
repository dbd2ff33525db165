import { useState } from 'preact/hooks';
import { deliverySnippets } from '../../text/delivery-snippets.ts';
import { countText } from '../../text/formatting.ts';
import type { SiteRecord } from '../api/wire.ts';
import { type FilesLeft, filesLeftText } from '../keys/key-state.ts';
import { CodeTabs } from '../parts/code-block.tsx';
import { Moment } from '../parts/moment.tsx';
import { Steps } from './new-site.tsx';
import { PresetsSection } from './presets-section.tsx';
import { PurgeSection } from './purge-section.tsx';
import { SettingsSection } from './settings-section.tsx';
import { SigningSection } from './signing-section.tsx';
import { listAddress } from './site-address.ts';
import { Figure, MonthResults, SiteBadge, SiteRoute } from './site-list.tsx';
import { StatusSection } from './status-section.tsx';
import { TryImage } from './try-image.tsx';

/** What the sections of a site's page get. */
export interface SiteSection {
  readonly site: SiteRecord;
  readonly left: FilesLeft;
  readonly onChanged: (record: SiteRecord) => void;
  /** Called with what became of the site, if it no longer exists. */
  readonly onGone: (text: string) => void;
}

/** One site: an image of it, code, and everything that can be changed. */
export function SitePage({
  firstPath,
  onUsed,
  ...section
}: SiteSection & {
  /** The path of the image with which the site was created, or an empty one; null: it was created earlier. */
  firstPath: string | null;
  /** Called when results may have been made. */
  onUsed: () => void;
}) {
  const { site, left } = section;
  const { last_used_at: at } = site;
  /** The path of the image that was looked at last. */
  const [path, setPath] = useState<string | null>(null);
  const [purges, setPurges] = useState(0);
  // Kept as state, so that nothing moves when there is a first result.
  const [isBeginning] = useState(firstPath !== null || site.all_time_used === 0);
  return (
    <>
      <p>
        <a href={listAddress}>All sites</a>
      </p>
      <div class="site-head">
        <h1>
          <bdi class="whole-name">{site.name}</bdi> <SiteBadge site={site} />
        </h1>
        <SiteRoute site={site} />
      </div>
      {isBeginning ? (
        <Steps at={path === null ? 2 : 3} />
      ) : (
        <div class="card">
          <dl class="figure-list">
            <Figure name="Results this month" note={filesLeftText(site, left)}>
              <MonthResults site={site} />
            </Figure>
            <Figure name="Results in total">{countText(site.all_time_used)}</Figure>
            <Figure name="Latest result">{at === null ? 'Never' : <Moment at={at} />}</Figure>
          </dl>
          <p class="site-statistics">
            <a href={`/cabinet/statistics?key=${encodeURIComponent(site.id)}`}>Statistics</a>
          </p>
        </div>
      )}
      <TryImage
        {...section}
        {...{ purges, onUsed }}
        firstPath={firstPath ?? ''}
        onTried={setPath}
      />
      <SiteCode site={site} path={path ?? (firstPath || null)} />
      {site.signed && <SigningSection {...section} />}
      <PresetsSection {...section} path={path} />
      <PurgeSection {...section} onPurged={() => setPurges((times) => times + 1)} />
      <SettingsSection {...section} />
      <StatusSection {...section} />
    </>
  );
}

/** Code for pages and tools, with the image that was looked at or is about to be. */
function SiteCode({ site, path }: { site: SiteRecord; path: string | null }) {
  const { slug, signed, presets, presets_only } = site;
  const [name] = Object.keys(presets);
  const preset = name === undefined ? '_' : `p_${name}`;
  const [chosen, setChosen] = useState<string | null>(null);
  const { origin } = location;
  return (
    <section class="card stack" aria-labelledby="site-code">
      <h2 id="site-code">Put it into your pages</h2>
      <CodeTabs
        all={deliverySnippets({
          ...{ origin, slug, signed, path: path ?? 'photos/cat.jpg' },
          preset: presets_only ? preset : null,
        })}
        label="Tool"
        chosen={chosen}
        onChoose={setChosen}
      />
      <p class="soft">
        More of what URLs can ask for is in <a href="/docs/delivery">the documentation</a>.
      </p>
    </section>
  );
}

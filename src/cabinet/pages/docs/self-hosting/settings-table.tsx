import { DocsTable } from '../docs-table.tsx';
import { MarkedLine } from '../marked.tsx';
import type { Setting } from '../settings.ts';

/** What can be set, with what holds otherwise. */
export function SettingsTable({
  caption,
  settings,
}: {
  caption: string;
  settings: readonly Setting[];
}) {
  return (
    <DocsTable
      caption={caption}
      columns={['Name', 'Default', 'Meaning']}
      rows={settings.map(({ name, fallback, meaning }) => ({
        id: name,
        cells: [
          <code key="name">{name}</code>,
          fallback === '' ? 'empty' : fallback,
          <MarkedLine key="meaning" text={meaning} />,
        ],
      }))}
    />
  );
}

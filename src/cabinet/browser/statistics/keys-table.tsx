import { countText, sizeText } from '../../text/sizes.ts';
import type { Statistics } from '../api/wire.ts';
import { shareText } from './plot-labels.ts';
import { pageAddress, type Selection } from './range.ts';

/** Who did it: every key with its part of all files. */
export function KeysTable({
  keys,
  selection,
  total,
}: {
  keys: Statistics['keys'];
  selection: Selection;
  /** Files of all keys together. */
  total: number;
}) {
  return (
    <section class="card stack" aria-labelledby="by-key">
      <h2 id="by-key">By key</h2>
      <table class="table keys-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col" class="number">
              Files
            </th>
            <th scope="col" class="number">
              Saved
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <KeyName entry={key} selection={selection} />
                <span class="share">
                  <span class="share-bar" aria-hidden="true">
                    <span style={{ width: `${total > 0 ? (key.files / total) * 100 : 0}%` }} />
                  </span>
                  <span class="soft">{shareText(key.files, total)} of the files</span>
                </span>
              </th>
              <td class="number">{countText(key.files)}</td>
              <td class="number">{sizeText(key.bytes_saved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function KeyName({
  entry,
  selection,
}: {
  entry: Statistics['keys'][number];
  selection: Selection;
}) {
  if (entry.id === null) return <span>Try it page</span>;
  const isShown = entry.id === selection.keyId;
  return (
    <span class="key-entry">
      <a
        href={pageAddress({ ...selection, keyId: entry.id })}
        aria-current={isShown ? 'true' : undefined}
      >
        <bdi>{entry.name}</bdi>
      </a>{' '}
      <code>{entry.prefix}…</code>
      {isShown && <span class="badge">shown above</span>}
    </span>
  );
}

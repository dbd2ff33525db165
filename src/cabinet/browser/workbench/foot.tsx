import { useState } from 'preact/hooks';
import { addedBytes } from '../../text/byte-balance.ts';
import { changeText, countText, imagesText, sizeText } from '../../text/formatting.ts';
import { archiveOf, type Finished } from './archive.ts';
import { download } from './blob-url.ts';
import { isUnderWay, type Job } from './queue.ts';
import type { Result } from './result.ts';
import { earlierText, totalsOf } from './summary.ts';

/** Totals of all images, and actions on all of them. It stays visible. */
export function Foot({
  jobs,
  finished,
  onSaved,
  onClear,
}: {
  jobs: readonly Job[];
  finished: readonly Finished[];
  /** Called with the results that were downloaded. */
  onSaved: (results: readonly Result[]) => void;
  onClear: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const ids = finished.map(({ id }) => id).join();
  const totals = totalsOf(jobs);
  const { images, before, after, saved } = totals;
  const added = addedBytes(totals);
  const earlier = earlierText(jobs);
  const isIdle = isBusy || images === 0;
  const isPartial = jobs.some(isUnderWay);

  async function saveAll() {
    setBusy(true);
    setFailed('');
    try {
      download(await archiveOf(finished), 'images.zip');
      onSaved(finished.map(({ result }) => result));
    } catch {
      // Mostly there is no memory for all of them once more.
      setFailed(ids);
    } finally {
      setBusy(false);
    }
  }

  return (
    <div class="workbench-foot">
      {/* Said until something is removed, as it advises, or saved. */}
      {failed !== '' && failed === ids && (
        <p class="notice warn" role="alert">
          The archive couldn’t be made, maybe for lack of memory. Download the images one by one, or
          remove some and try again.
        </p>
      )}
      <p>
        {images === 0 && 'None done yet'}
        {images > 0 && (
          <>
            {isPartial && `${countText(images)} of `}
            {imagesText(isPartial ? jobs.length : images)}, <strong>{sizeText(saved)} saved</strong>
            {added > 0 && `, ${sizeText(added)} added`}{' '}
            <span class={`badge ${after < before ? 'saved' : 'off'}`}>
              {changeText(before, after)}
            </span>
            {earlier && <span class="soft"> {earlier}</span>}
          </>
        )}
      </p>
      <span class="cluster">
        <button
          class="button primary"
          type="button"
          aria-disabled={isIdle}
          onClick={() => isIdle || saveAll()}
        >
          {/* Another one, so that no words move. */}
          <span key={String(isPartial)}>
            Download {isPartial && images > 0 ? `${countText(images)} so far` : 'all'}{' '}
            <span class="zip-kind">(.zip)</span>
          </span>
        </button>
        <button class="button" type="button" onClick={onClear}>
          Clear<span class="visually-hidden"> all images</span>
        </button>
      </span>
    </div>
  );
}

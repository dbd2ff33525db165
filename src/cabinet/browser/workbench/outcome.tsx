import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { outputFacts } from '../../../image/formats/facts.ts';
import { changeText, sizeChangeText } from '../../text/formatting.ts';
import { withFormat } from './options.ts';
import type { Job } from './queue.ts';
import { framesText, hdrText, type Result, reasonText, typeText } from './result.ts';

/** A result below this share of the original's size is notably smaller. */
const notable = 0.9;

/** The outcome of an image: sizes before and after as text and as a bar, the visual score, and further notes. */
export function Outcome({
  job,
  result,
  onVary,
  children,
}: {
  job: Job;
  result: Result;
  /** Optimizes the image again with other options, given as a query. */
  onVary: (query: string) => void;
  /** A further note. */
  children?: ComponentChildren;
}) {
  const { bytesBefore, bytesAfter, isSmaller, type, score } = result;
  const scoreId = useId();
  const [isExplained, setExplained] = useState(false);
  const hdr = hdrText(result.hdr);
  const frames = framesText(result.frames, job.query);
  const reason = reasonText(result);
  return (
    <>
      <p class="image-sizes" title={[typeText(type), frames, hdr].filter(Boolean).join(', ')}>
        {sizeChangeText(bytesBefore, bytesAfter)}
      </p>
      <span class="image-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (100 * bytesAfter) / bytesBefore)}%` }} />
      </span>
      <span class={isSmaller && bytesAfter < notable * bytesBefore ? 'badge saved' : 'badge off'}>
        {changeText(bytesBefore, bytesAfter)}
      </span>
      {score !== null && (
        <button
          class="image-score"
          type="button"
          title="How close it looks to the original"
          aria-expanded={isExplained}
          aria-controls={scoreId}
          onClick={() => setExplained(!isExplained)}
        >
          Score {score}
        </button>
      )}
      {(isExplained || reason || frames || hdr || result.smallerAs || children) && (
        <div class="image-told">
          {isExplained && <ScoreExplained id={scoreId} />}
          {reason && <p class="soft">{reason}</p>}
          {frames && <p class="soft capitalized">{frames}.</p>}
          {hdr && <p class="soft">{hdr}.</p>}
          <SmallerFormat job={job} result={result} onVary={onVary} />
          {children}
        </div>
      )}
    </>
  );
}

function ScoreExplained({ id }: { id: string }) {
  return (
    <p class="soft" id={id}>
      How close this looks to your original, measured by SSIMULACRA2. 100: nothing visible has
      changed. 90: nobody sees a difference, even when flipping between the two. 70: a difference is
      hard to notice.{' '}
      <a href="/docs/fidelity#visible-quality" target="_blank" rel="noreferrer">
        More about scores
      </a>
    </p>
  );
}

/** Suggests another format that takes fewer bytes. */
function SmallerFormat({
  job: { file, query },
  result: { smallerAs },
  onVary,
}: Parameters<typeof Outcome>[0]) {
  const facts = outputFacts.find(({ type }) => type === smallerAs);
  if (!facts) return null;
  const { type, name, mediaType } = facts;
  const format = mediaType === file.type ? 'keep' : type;
  return (
    <p class="cluster">
      <span>A {name} of the same score would be smaller.</span>
      <button
        class="button small"
        type="button"
        onClick={() => onVary(withFormat(query ?? '', format))}
      >
        Make it a {name}
      </button>
    </p>
  );
}

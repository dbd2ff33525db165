import { changeText, dayText, sizeText } from '../../text/formatting.ts';
import type { Site } from '../frame.tsx';
import { ByteBar } from './byte-bar.tsx';
import { bench, formats, photo } from './figures.json';

/** What the whole width of the first chart stands for: room for bytes that a format adds. */
const formatTrack = 1.25 * photo.before;

/** The photo of the opening in every format, as the service has made it. */
export function Formats() {
  return (
    <section class="page spread">
      <div class="stack">
        <h2>One photo, five formats</h2>
        <p>
          Kodak’s photo of two parrots. The engine measures each lossy result, and aims at a
          SSIMULACRA2 score of {formats.target}:{' '}
          <a href="/docs/fidelity#visible-quality">by its authors</a>, at 70 the difference is hard
          to see side by side, and at 80 there is none.
        </p>
        <p class="legend">
          <Key kind="kept" /> bytes of the result <Key kind="saved" /> saved <Key kind="added" />{' '}
          added
        </p>
      </div>
      <div class="stack">
        <table class="bar-table">
          <thead>
            <tr>
              <th scope="col">Format</th>
              <th scope="col" class="chart">
                <span class="visually-hidden">Share of the original</span>
              </th>
              <th scope="col" class="number">
                Bytes
              </th>
              <th scope="col" class="number">
                Change
              </th>
              <th scope="col" class="number">
                Score
              </th>
            </tr>
          </thead>
          <tbody>
            <tr class="reference">
              <th scope="row">Original JPEG</th>
              <td class="chart">
                <ByteBar kept={photo.before} track={formatTrack} of={photo.before} />
              </td>
              <td class="number">{sizeText(photo.before)}</td>
              <td class="number">–</td>
              <td class="number">–</td>
            </tr>
            {formats.results.map(({ format, bytes, score }) => (
              <tr key={format}>
                <th scope="row">{format}</th>
                <td class="chart">
                  <ByteBar kept={bytes} of={photo.before} track={formatTrack} />
                </td>
                <td class="number">{sizeText(bytes)}</td>
                <td class={`number change ${bytes > photo.before ? 'larger' : ''}`}>
                  {changeText(photo.before, bytes)}
                </td>
                <td class="number soft">{score.toFixed(1)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="soft small">
          Made by this engine on {dayText(formats.date)}, and scored by it. PNG keeps every pixel,
          which photos don’t need; its bar is cut off. The response says that it grew (
          <code>Image-Reason: larger-format</code>), and nothing is charged. With{' '}
          <code>format=auto</code>, the service tries those that the caller accepts, and returns the
          smallest.
        </p>
      </div>
    </section>
  );
}

/** What the whole width of the second chart stands for, in sizes of the other encoder's files. */
const track = 1.1;

/** How many bytes other encoders need for the same quality, as this project's bench measured. */
export function Encoders({ site }: { site: Site }) {
  const { source } = site.links;
  return (
    <section class="page spread">
      <div class="stack">
        <h2>Beside the best encoders</h2>
        <p>
          The strongest open-source encoder for each format in our benchmark, at the same score; for
          PNG, at a higher one. The line marks their file.
        </p>
        <p class="legend">
          <Key kind="kept" /> our file <Key kind="saved" /> fewer bytes <Key kind="added" /> more
          bytes
        </p>
      </div>
      <div class="stack">
        <ul class="encoders">
          {bench.rows.map(({ format, against, pictures, ratio, date }) => (
            <li key={against}>
              <p class="bar-ends">
                <span>
                  <strong>{format}</strong> beside {against}
                </span>
                <strong class={ratio < 1 ? undefined : 'larger'}>{differenceText(ratio)}</strong>
              </p>
              <div class="marked-track">
                <ByteBar kept={ratio} track={track} />
              </div>
              <p class="soft small">
                {pictures}, {dayText(date)}
              </p>
            </li>
          ))}
        </ul>
        <p class="soft small">
          Our own bench: method and figures are in{' '}
          {source ? <a href={source}>the source</a> : 'the source'}, and{' '}
          <a href="/docs/performance">Performance</a> sums them up. Medians at scores from 65 to 85;
          of PNG, sums. Photos as PNG are an exception: in total, ours take more bytes than
          pngquant’s, at a higher score.
        </p>
      </div>
    </section>
  );
}

/** The difference between our bytes and theirs in words: `12% smaller`. */
function differenceText(ratio: number): string {
  const percent = Math.round(100 * Math.abs(1 - ratio));
  return `${percent}% ${ratio < 1 ? 'smaller' : 'larger'}`;
}

/** A color of the bars, for the words after it. */
function Key({ kind }: { kind: 'kept' | 'saved' | 'added' }) {
  return <span class={`key ${kind}`} aria-hidden="true" />;
}

import { dateText } from '../../text/formatting.ts';
import { bench } from './figures.json';

/** How many bytes other encoders need for the same quality, as this project's bench measured. */
export function BenchmarkResults() {
  return (
    <section class="page page-section measured">
      <div class="stack">
        <h2>Same quality, fewer bytes</h2>
        <p class="lead">
          Compared with the best open-source encoders at the same visual quality. Green is our file,
          yellow is what you save.
        </p>
      </div>
      <ul class="bars">
        {bench.rows.map(({ format, against, pictures, ratio }) => (
          <li key={format}>
            <p>
              <strong>{format}</strong>: {Math.round(100 * (1 - ratio))}% smaller than {against}{' '}
              <span class="soft">({pictures})</span>
            </p>
            <svg viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">
              <rect class="theirs" width="1000" height="24" rx="6" />
              <rect class="ours" width={1000 * ratio} height="24" rx="6" />
            </svg>
          </li>
        ))}
      </ul>
      <p class="soft">
        Our own benchmark, {dateText(bench.date, 'UTC')}; the method and all figures are part of the
        source. Quality is the SSIMULACRA2 score, which is designed to match what people see; our
        PNG graphics score higher than those they are compared with. Photos as PNG are the
        exception: in total, ours take more bytes than pngquant’s, at a higher score.
      </p>
    </section>
  );
}

import { dateText } from '../../text/formatting.ts';
import { bench } from './figures.json';

/** How many bytes others need for the same quality, as the bench of this project measured it. */
export function Measured() {
  return (
    <section class="page page-section measured">
      <div class="stack">
        <h2>Same quality, fewer bytes</h2>
        <p class="lead">
          What we need where others need 100, at equal quality by SSIMULACRA2, the measure that
          comes closest to what people see.
        </p>
      </div>
      <dl class="bars">
        {bench.rows.map(({ format, against, pictures, ratio }) => (
          <div key={format}>
            <dt>
              <strong>{format}</strong> beside {against} <span class="soft">({pictures})</span>
            </dt>
            <dd>
              <svg viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">
                <rect class="theirs" width="1000" height="24" rx="6" />
                <rect class="ours" width={1000 * ratio} height="24" rx="6" />
              </svg>
              <span>{Math.round(100 * ratio)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">
        Measured by the bench of this project on {dateText(bench.date, 'UTC')}; PNG with palettes,
        all bytes at a higher score.
      </p>
    </section>
  );
}

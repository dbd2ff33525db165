import { type RetentionSettings, retentionOf } from '../../text/retention.ts';

/** Facts about competing services, according to their own documentation. */
const others = [
  {
    name: 'Tinify',
    href: 'https://tinypng.com/developers/reference',
    answer: 'From a link in the response',
    kept: 'Up to 48 hours',
  },
  {
    name: 'ShortPixel',
    href: 'https://shortpixel.com/api-docs',
    answer: 'From a link, once it’s ready',
    kept: 'About an hour',
  },
  {
    name: 'Kraken.io',
    href: 'https://kraken.io/docs/getting-started',
    answer: 'From a link in the response',
    kept: 'About an hour',
  },
];

/** A comparison with other services that readers can check. */
export function ServiceComparison(settings: RetentionSettings) {
  return (
    <section class="page page-section">
      <h2>Compared with other services</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where the screen is narrow */}
      <section class="beside" tabIndex={0} aria-label="Services side by side">
        <table class="table">
          <thead>
            <tr>
              <td />
              <th scope="col">Here</th>
              {others.map(({ name, href }) => (
                <th scope="col" key={name}>
                  <a href={href}>{name}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">How the image comes back</th>
              <td>
                <strong>In the response to your call</strong>
              </td>
              {others.map(({ name, answer }) => (
                <td key={name}>{answer}</td>
              ))}
            </tr>
            <tr>
              <th scope="row">How long images are kept</th>
              <td>
                <strong>{retentionOf(settings).inTable}</strong>
              </td>
              {others.map(({ name, kept }) => (
                <td key={name}>{kept}</td>
              ))}
            </tr>
          </tbody>
        </table>
      </section>
      <p class="soft">According to their own documentation, linked above.</p>
    </section>
  );
}

import { DocsTable } from '../docs-table.tsx';

/** What comes with anything but 200. */
export function FailureHeaders() {
  return (
    <DocsTable
      caption="Headers of errors"
      columns={['Header', 'With', 'Meaning']}
      rows={headers.map(([name, status, meaning]) => ({
        id: name,
        cells: [<code key="name">{name}</code>, status, meaning],
      }))}
    />
  );
}

const headers = [
  ['Retry-After', '429, 503', 'Seconds until trying again makes sense.'],
  [
    'WWW-Authenticate',
    '401 to a key',
    'Always Bearer: the key belongs into the header Authorization.',
  ],
  ['Allow', '405', 'The methods that this path has.'],
  [
    'Request-Id',
    'every answer',
    'Names the request. The body says it too, as request_id: quote it when you ask about an error.',
  ],
] as const;

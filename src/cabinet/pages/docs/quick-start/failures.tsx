import { DocsTable } from '../docs-table.tsx';

/** What to do at which status. */
export function Failures() {
  return (
    <DocsTable
      caption="What to do at which status"
      columns={['Status', 'What it means', 'What to do']}
      rows={failures.map((cells) => ({ id: cells[0], cells }))}
    />
  );
}

const failures = [
  [
    '402',
    'The free and the paid files are used up.',
    'Serve originals until free_resets_at, or buy more files. Trying again does not help.',
  ],
  ['429', 'Too many requests for the moment.', 'Wait as many seconds as Retry-After says.'],
  [
    '503',
    'Too much is going on at once. Nothing was charged.',
    'Wait as many seconds as Retry-After says.',
  ],
  ['408', 'The upload stalled.', 'Try again.'],
  [
    '500, 502',
    'Something failed on our side.',
    'Try again a few times, with longer and longer pauses.',
  ],
  [
    'Other 4xx',
    'The request or the picture is at fault.',
    'Do not try again. Read detail, and correct the request or keep the original.',
  ],
] as const;

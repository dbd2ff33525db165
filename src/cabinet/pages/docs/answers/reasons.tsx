import { DocsTable } from '../docs-table.tsx';

/** What Image-Reason can say. */
export function Reasons() {
  return <DocsTable caption="Image-Reason" columns={['Value', 'Meaning']} rows={reasons} />;
}

const reasons = [
  {
    id: 'already-optimal',
    cells: [
      <code key="value">already-optimal</code>,
      'Nothing was found that is at least 1 % smaller. The file was made well, or was here before.',
    ],
  },
  {
    id: 'animated',
    cells: [
      <code key="value">animated</code>,
      'An animation comes back as it is, without the unwanted metadata: it is never flattened.',
    ],
  },
  {
    id: 'larger-format',
    cells: [
      <code key="value">larger-format</code>,
      'The format or size that was asked for takes more bytes than the original did. That is the picture you get.',
    ],
  },
];

import type { Child } from 'hono/jsx';

interface Row {
  /** The element id, for links to the row. */
  readonly id: string;
  /** The first cell is the row's header. */
  readonly cells: readonly Child[];
}

/**
 * A table that becomes a list of cards on narrow screens. Its elements lose their implicit roles when CSS lays them out
 * as blocks, so the roles are explicit.
 */
export function DocsTable({
  caption,
  columns,
  rows,
  isNumeric = false,
}: {
  /** What the table contains, for screen readers. */
  caption: string;
  columns: readonly string[];
  rows: readonly Row[];
  isNumeric?: boolean;
}) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see above
    <table class={isNumeric ? 'table docs-table numeric' : 'table docs-table'} role="table">
      <caption class="visually-hidden">{caption}</caption>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <thead role="rowgroup">
        {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
        <tr role="row">
          {columns.map((column) => (
            // biome-ignore lint/a11y/noRedundantRoles: see above
            <th key={column} scope="col" role="columnheader">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
      <tbody role="rowgroup">
        {rows.map(({ id, cells: [name, ...others] }) => (
          // biome-ignore lint/a11y/noRedundantRoles: see above
          <tr key={id} id={id} role="row">
            {/* biome-ignore lint/a11y/noRedundantRoles: see above */}
            <th scope="row" role="rowheader">
              {name}
            </th>
            {others.map((cell, index) => (
              // biome-ignore lint/a11y/noRedundantRoles: see above
              <td key={columns[index + 1]} role="cell" data-label={columns[index + 1]}>
                <div>{cell}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

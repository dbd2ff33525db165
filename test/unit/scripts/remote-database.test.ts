import { expect, it } from 'vitest';
import { inline } from '../../../scripts/local/remote-database.ts';

it('values stand in a statement as they are, whatever is in them', () => {
  const sql = 'UPDATE t SET a = ?2, b = ?3 WHERE id = ?1 AND c = ?10';
  const values = ["o'clock'; DROP TABLE t; --", '?1 $& $1', 7, '', '', '', '', '', '', 'ten'];
  expect(inline({ sql, values })).toBe(
    "UPDATE t SET a = '?1 $& $1', b = 7 WHERE id = 'o''clock''; DROP TABLE t; --' AND c = 'ten'",
  );
  expect(() => inline({ sql: 'SELECT ?1, ?2', values: ['a'] })).toThrow(RangeError);
});

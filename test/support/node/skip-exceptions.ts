import { relative } from 'node:path';
import { beforeEach } from 'vitest';
import { root } from '../../../scripts/local/root.ts';
import { exceptionOf } from './exceptions.ts';

// A setup file of vitest, with TARGET=node.
beforeEach(({ task, skip }) => {
  const names = [task.name];
  for (let { suite } = task; suite; { suite } = suite) names.unshift(suite.name);
  const reason = exceptionOf(relative(root, task.file.filepath), names.filter(Boolean).join(' > '));
  if (reason !== null) skip(reason);
});

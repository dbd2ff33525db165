import { expect, test } from 'vitest';
import { changedFileFailure } from '../../../../../src/cabinet/browser/workbench/chosen-files.ts';

test('a file that can be read has not changed', async () => {
  expect(await changedFileFailure(new File(['x'], 'a.jpg'))).toBeNull();
});

test('a file that cannot be read any more is to be chosen again', async () => {
  const gone = new Blob(['x']);
  gone.slice = () => {
    const part = new Blob();
    part.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
    return part;
  };
  expect(await changedFileFailure(gone)).toMatchObject({
    code: 'changed_file',
    message: 'This file was changed or removed after you chose it. Choose it again.',
    retryAfter: null,
  });
});

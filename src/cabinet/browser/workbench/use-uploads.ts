import { useLayoutEffect, useReducer } from 'preact/hooks';
import { type Failure, failureOf, localFailure, ownFailure } from '../api/failure.ts';
import { changedFileFailure } from './chosen-files.ts';
import { inFormWords } from './form-words.ts';
import { resultOf } from './result.ts';
import type { SendFile, SendOutcome, UploadStore } from './upload-store.ts';

/** Timeout for the upload, the processing and the response together, in milliseconds. */
const uploadTimeout = 180_000;

/** Optimizes files with an API call. */
export function sendTo(path: string): SendFile {
  return (file, query, how) => upload(file, file, path + (query && `?${query}`), how);
}

/**
 * Optimizes files with an API call that requires a human check.
 * @param nextToken resolves to null if the check is unavailable
 */
export function sendChecked(path: string, nextToken: () => Promise<string | null>): SendFile {
  return async (file, query, how) => {
    const token = await nextToken();
    if (how.signal.aborted) return { kind: 'aborted' };
    if (token === null) return { kind: 'failed', failure: noCheckFailure };
    const form = new FormData();
    form.set('turnstile_token', token);
    form.set('file', file);
    return upload(file, form, path + (query && `?${query}`), how);
  };
}

const noCheckFailure = ownFailure(
  'no_check',
  'The check that you’re human couldn’t be loaded. Allow it in your browser, then reload this page.',
);

/** Sends a file with XMLHttpRequest, because fetch does not report upload progress. */
function upload(
  file: File,
  body: File | FormData,
  url: string,
  { onProgress, signal }: Parameters<SendFile>[2],
): Promise<SendOutcome> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const fail = (failure: Failure) => resolve({ kind: 'failed', failure });
    request.open('POST', url);
    request.responseType = 'blob';
    request.timeout = uploadTimeout;
    // A form sets its own content type.
    if (body === file) request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onProgress(1);
    request.onerror = async () => fail((await changedFileFailure(file)) ?? localFailure('offline'));
    request.ontimeout = () => fail(localFailure('slow'));
    request.onabort = () => resolve({ kind: 'aborted' });
    request.onload = async () => resolve(await answerOf(request, file));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

async function answerOf(request: XMLHttpRequest, file: File): Promise<SendOutcome> {
  const { status } = request;
  const body: unknown = request.response;
  if (status === 200 && body instanceof Blob && request.getResponseHeader('Image-Width')) {
    const header = (name: string) => request.getResponseHeader(name);
    return { kind: 'done', result: resultOf(body, header, file.name, file.size) };
  }
  if (status < 400 || status > 599) return { kind: 'failed', failure: localFailure('unreadable') };
  const retryAfter = request.getResponseHeader('Retry-After');
  const response = new Response(body instanceof Blob ? body : null, {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
  return { kind: 'failed', failure: inFormWords(await failureOf(response)) };
}

/** Renders again whenever the uploads change. */
export function useUploads(store: UploadStore): void {
  const [, render] = useReducer((times: number) => times + 1, 0);
  useLayoutEffect(() => store.subscribe(() => render(undefined)), [store]);
}

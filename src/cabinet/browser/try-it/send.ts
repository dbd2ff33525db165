import { type Failure, failureOf, ownFailure } from '../api/failure.ts';
import { changedFileFailure } from './changed-file.ts';
import { inFormWords } from './form-words.ts';
import { resultOf } from './result.ts';
import type { SendPicture, Sent } from './sent.ts';

/** Milliseconds for sending, work and answer together. */
const patience = 180_000;

/**
 * Has one picture made smaller. XMLHttpRequest, because fetch does not say how
 * much has been sent. Never throws.
 */
export const send: SendPicture = (file, query, { onProgress, signal }) =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const fail = (failure: Failure) => resolve({ kind: 'failed', failure });
    request.open('POST', `/v1/me/optimize${query && `?${query}`}`);
    request.responseType = 'blob';
    request.timeout = patience;
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onProgress(1);
    request.onerror = async () => fail((await changedFileFailure(file)) ?? ownFailure('offline'));
    request.ontimeout = () => fail(ownFailure('slow'));
    request.onabort = () => resolve({ kind: 'aborted' });
    request.onload = async () => resolve(await answerOf(request, file));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });

async function answerOf(request: XMLHttpRequest, file: File): Promise<Sent> {
  const { status } = request;
  const body: unknown = request.response;
  if (status === 200 && body instanceof Blob && request.getResponseHeader('Image-Width')) {
    const header = (name: string) => request.getResponseHeader(name);
    return { kind: 'done', result: resultOf(body, header, file.name, file.size) };
  }
  if (status < 400 || status > 599) return { kind: 'failed', failure: ownFailure('unreadable') };
  const retryAfter = request.getResponseHeader('Retry-After');
  const response = new Response(body instanceof Blob ? body : null, {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
  return { kind: 'failed', failure: inFormWords(await failureOf(response)) };
}

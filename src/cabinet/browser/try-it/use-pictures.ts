import { useLayoutEffect, useReducer } from 'preact/hooks';
import { type Failure, failureOf, localFailure } from '../api/failure.ts';
import { changedFileFailure } from './chosen-files.ts';
import { inFormWords } from './options.ts';
import { PictureStore, type SendPicture, type Sent } from './picture-store.ts';
import { resultOf } from './result.ts';

/** Milliseconds for sending, work and answer together. */
const patience = 180_000;

/**
 * Has one picture made smaller. XMLHttpRequest, because fetch does not say how
 * much has been sent. Never throws.
 */
const send: SendPicture = (file, query, { onProgress, signal }) =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const fail = (failure: Failure) => resolve({ kind: 'failed', failure });
    request.open('POST', `/v1/me/optimize${query && `?${query}`}`);
    request.responseType = 'blob';
    request.timeout = patience;
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onProgress(1);
    request.onerror = async () => fail((await changedFileFailure(file)) ?? localFailure('offline'));
    request.ontimeout = () => fail(localFailure('slow'));
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
  if (status < 400 || status > 599) return { kind: 'failed', failure: localFailure('unreadable') };
  const retryAfter = request.getResponseHeader('Retry-After');
  const response = new Response(body instanceof Blob ? body : null, {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
  });
  return { kind: 'failed', failure: inFormWords(await failureOf(response)) };
}

/** Outlives the page: what has been charged is still there when someone comes back to it. */
const pictures = new PictureStore(send);

/** The pictures of this tab; the page is rendered anew when they change. */
export function usePictures(): PictureStore {
  const [, render] = useReducer((times: number) => times + 1, 0);
  useLayoutEffect(() => pictures.subscribe(() => render(undefined)), []);
  return pictures;
}

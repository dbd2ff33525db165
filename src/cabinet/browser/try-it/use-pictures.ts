import { useLayoutEffect, useReducer } from 'preact/hooks';
import { PictureStore } from './picture-store.ts';
import { send } from './send.ts';

/** Outlives the page: what has been charged is still there when someone comes back to it. */
const pictures = new PictureStore(send);

/** The pictures of this tab; the page is rendered anew when they change. */
export function usePictures(): PictureStore {
  const [, render] = useReducer((times: number) => times + 1, 0);
  useLayoutEffect(() => pictures.subscribe(() => render(undefined)), []);
  return pictures;
}

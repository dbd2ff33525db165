import { useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import type { Answer, Failure } from '../api/failure.ts';
import type { SiteCheck, SiteRecord } from '../api/wire.ts';
import { type BrowserKind, browserKinds, chrome, type Delivery, deliver } from './delivered.ts';

/** One image of a site in several browsers. */
export interface Trial {
  readonly path: string;
  /** The original; null until it is known. */
  readonly check: SiteCheck | null;
  /** Why there is no original. */
  readonly failure: Failure | null;
  /** The picture of the original, pixel by pixel; null until it has come. */
  readonly before: Delivery | null;
  /** By the id of the browser, as they come. */
  readonly after: Readonly<Record<string, Delivery>>;
  readonly isDone: boolean;
}

/** The pixels of the original: its own address may not be asked by this page. */
const originalPixels = 'f_keep,q_lossless';

/**
 * The image that was asked for last.
 * @param purges how often originals were said to have changed
 * @param onUsed called when results may have been made
 */
export function useTrial(site: SiteRecord, purges: number, onUsed: () => void) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const latest = useRef(0);
  // The service limits how often an image is looked at; its options may be changed more often.
  const checks = useRef(new Map<string, SiteCheck>());

  /** @param onFound called if there is such an image, or may be */
  async function start(path: string, options: string, onFound: () => void): Promise<void> {
    latest.current += 1;
    const own = latest.current;
    const update = (change: (old: Trial) => Partial<Trial>) => {
      if (own === latest.current) setTrial((old) => old && { ...old, ...change(old) });
    };
    const original = `${purges} ${site.source}${path}`;
    const check = checks.current.get(original) ?? null;
    setTrial({ path, check, failure: null, before: null, after: {}, isDone: false });
    if (!check) {
      const answer: Answer<SiteCheck> = await call('POST', `/v1/sites/${site.id}/check`, { path });
      if (answer.kind === 'failed') {
        update(() => ({ failure: answer.failure, isDone: true }));
        // Too many were looked at to know whether there is this one.
        if (answer.failure.code === 'too_many_requests') onFound();
        return;
      }
      checks.current.set(original, answer.body);
      update(() => ({ check: answer.body }));
    }
    onFound();
    const show = async (kind: BrowserKind) => {
      const delivery = await deliver(site, options, path, kind);
      update(({ after }) => ({ after: { ...after, [kind.id]: delivery } }));
    };
    const before = showBefore(path, update);
    // Most others get the same result. Those who wait too long for it would be sent to the original.
    await show(chrome);
    await Promise.all([...browserKinds.filter((kind) => kind !== chrome).map(show), before]);
    update(() => ({ isDone: true }));
    onUsed();
  }

  async function showBefore(
    path: string,
    update: (change: () => Partial<Trial>) => void,
  ): Promise<void> {
    // A site of presets only has no URL of the original.
    if (site.presets_only) return;
    const before = await deliver(site, originalPixels, path, chrome);
    update(() => ({ before }));
  }

  return { trial, start };
}

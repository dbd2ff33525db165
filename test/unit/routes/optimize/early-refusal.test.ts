import { afterEach, expect, it, vi } from 'vitest';
import { plan } from '../../../../src/image/engine.ts';
import { png } from '../../../../src/image/formats/png/png.ts';
import { HeldBytes } from '../../../../src/routes/optimize/held-body.ts';
import { prepare } from '../../../../src/routes/optimize/shrink.ts';
import { pngOfProfile, pngOfText } from '../../../support/adversarial/png.ts';
import { displayP3Profile } from '../../../support/icc.ts';
import { smallPhoto } from '../../../support/pictures.ts';

afterEach(() => vi.restoreAllMocks());

/** What is planned for a file, and how often something in it was unpacked for that. */
function prepared(file: Uint8Array<ArrayBuffer>) {
  const profile = vi.spyOn(png.read, 'profile');
  const findHarm = vi.spyOn(png.read, 'findHarm');
  const metadata = vi.spyOn(png.read, 'metadata');
  const held = new HeldBytes({ owner: 'somebody', announced: file.length, renew: () => {} });
  held.append(file);
  held.complete();
  const work = prepare(
    held,
    () => plan(held.bytes),
    () => {},
  );
  held.end();
  return {
    work,
    profiles: profile.mock.calls.filter(([, { icc }]) => icc.length > 0).length,
    texts: findHarm.mock.calls.length + metadata.mock.calls.length,
  };
}

const endless = { width: 65_500, height: 65_500 };

it('nothing is unpacked for a picture that its headers refuse, and the refusal says what it has taken', () => {
  for (const file of [
    pngOfText('zTXt', 'empty dynamic blocks', 100_000, endless),
    pngOfProfile('empty dynamic blocks', displayP3Profile(), 100_000, endless),
  ]) {
    const { work, profiles, texts } = prepared(file);
    if (work.kind !== 'refused') throw new Error(work.kind);
    expect(work.error.code).toBe('image_too_large');
    expect(work.cpuMs).toBeGreaterThan(0);
    expect([profiles, texts]).toEqual([0, 0]);
    vi.restoreAllMocks();
  }
});

it('texts are unpacked only in the turn of the work', () => {
  const { work, profiles, texts } = prepared(pngOfText('zTXt', 'empty dynamic blocks', 100_000));
  expect(work.kind).toBe('prepared');
  expect([profiles, texts]).toEqual([0, 0]);
});

it('a file whose length was not announced can be read after its block was cut to its length', {
  tags: 'slow',
}, async () => {
  const file = new Uint8Array(17 * 2 ** 20);
  file.set(await smallPhoto());
  const held = new HeldBytes({ owner: 'somebody', announced: null, renew: () => {} });
  for (let at = 0; at < file.length; at += 65_536) held.append(file.subarray(at, at + 65_536));
  held.complete();
  expect(held.blockBytes).toBeGreaterThan(file.length);
  const outcome = prepare(
    held,
    () => plan(held.bytes),
    () => {},
  );
  expect(held.blockBytes).toBe(file.length);
  if (outcome.kind !== 'prepared') throw new Error(outcome.kind);
  const running = outcome.work.start(() => held.handOver());
  try {
    let finished = running.next();
    while (!finished) finished = running.next();
    expect(finished.result.bytes.length).toBeLessThan((await smallPhoto()).length);
  } finally {
    running.end();
    held.end();
  }
});

import { expect, it } from 'vitest';
import { sourceRules } from '../../../src/policy/source-url.ts';

const settings = { allowHttpSources: true, privateSources: new Set(['a:1']), publicOrigin: null };

it('the service’s own hosts are that of the request and that of its links', () => {
  const request = 'https://Edge.Example.:8443/v1/optimize';
  expect(sourceRules(settings, request)).toEqual({
    allowHttp: true,
    privateSources: new Set(['a:1']),
    ownHosts: new Set(['edge.example']),
  });
  const linked = { ...settings, publicOrigin: 'https://img.example' };
  expect(sourceRules(linked, request).ownHosts).toEqual(new Set(['edge.example', 'img.example']));
});

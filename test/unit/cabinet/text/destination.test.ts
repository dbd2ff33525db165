import { describe, expect, it } from 'vitest';
import { destination } from '../../../../src/cabinet/text/interface.ts';

const origin = 'https://images.example';
const leadsTo = (next: string) => destination(`?next=${encodeURIComponent(next)}`, origin);

describe('destination', () => {
  it('is the cabinet when nothing is asked for', () => {
    expect(destination('', origin)).toBe('/cabinet');
    expect(destination('?next=', origin)).toBe('/cabinet');
  });

  it('is the path on this origin that next names, with its query and fragment', () => {
    expect(leadsTo('/cabinet/keys')).toBe('/cabinet/keys');
    expect(leadsTo('/cabinet/statistics?from=2026-11-01&to=2026-11-20#days')).toBe(
      '/cabinet/statistics?from=2026-11-01&to=2026-11-20#days',
    );
    expect(leadsTo('/cabinet/../docs')).toBe('/docs');
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%2e%2e//evil.example',
    '/\t\\evil.example',
    '/\t/[',
    '/\t//%',
    'javascript:alert(1)',
    'cabinet/keys',
    '@evil.example',
  ])('never leads away from this origin: %j', (next) => {
    expect(leadsTo(next)).toBe('/cabinet');
  });
});

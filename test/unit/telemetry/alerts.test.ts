import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../../../src/telemetry/families.ts';
import { faults } from '../../../src/telemetry/faults.ts';
import { hasPromtool, promtool } from '../../support/promtool.ts';

const root = join(import.meta.dirname, '../../..');
const folder = join(root, 'deploy/prometheus');
const rules = readFileSync(join(folder, 'alerts.yml'), 'utf8');
const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8');

/** All matches of the only group of a pattern. */
const found = (pattern: RegExp) => [...rules.matchAll(pattern)].map(([, name = '']) => name);

/** Names of samples: families, and what histograms consist of. */
const samples = Object.entries(families).flatMap(([name, { type }]) =>
  type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
);

describe('the alerts for Prometheus', () => {
  it('look at what there is', () => {
    const names = found(/\b((?:fewerbytes|process)_\w+)/g);
    expect(new Set(names).size).toBeGreaterThan(8);
    for (const name of names) expect(samples).toContain(name);
    for (const patterns of found(/event=~"([^"]+)"/g)) {
      for (const pattern of patterns.split('|')) {
        const one = new RegExp(`^(?:${pattern})$`);
        expect(
          Object.keys(faults).some((event) => one.test(event)),
          pattern,
        ).toBe(true);
      }
    }
  });

  it('tell of a fault once: the general one leaves out what others tell', () => {
    const told = found(/event=~"([^"]+)"/g).join('|');
    expect(found(/event!~"([^"]+)"/g)).toEqual([told]);
  });

  it('are in the guide, each of them', () => {
    for (const name of found(/alert: (\w+)/g)) expect(guide).toContain(`\`${name}\``);
  });

  it.skipIf(!hasPromtool)('fire when they should, and not before', () => {
    const rulesChecked = promtool(['check', 'rules', join(folder, 'alerts.yml')]);
    expect(rulesChecked).toMatchObject({ status: 0 });
    const tested = promtool(['test', 'rules', join(folder, 'alerts.test.yml')]);
    expect(tested, tested.output).toMatchObject({ status: 0 });
  });
});

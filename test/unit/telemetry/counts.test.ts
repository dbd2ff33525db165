import { beforeEach, describe, expect, it } from 'vitest';
import {
  count,
  counted,
  exposition,
  hasNews,
  observe,
  returnNews,
  takeNews,
  zeros,
} from '../../../src/telemetry/counts.ts';
import { families } from '../../../src/telemetry/families.ts';
import { faults } from '../../../src/telemetry/faults.ts';
import { hasPromtool, promtool } from '../../support/promtool.ts';

beforeEach(() => {
  takeNews();
});

describe('what is counted', () => {
  it('adds up by the labels', () => {
    count('fewerbytes_mails_total', { outcome: 'sent' });
    count('fewerbytes_mails_total', { outcome: 'failed' });
    count('fewerbytes_mails_total', { outcome: 'sent' });
    count('fewerbytes_images_made_bytes_total', { output: 'avif' }, 1234);
    expect(counted()).toEqual({
      'fewerbytes_mails_total{outcome="sent"}': 2,
      'fewerbytes_mails_total{outcome="failed"}': 1,
      'fewerbytes_images_made_bytes_total{output="avif"}': 1234,
    });
  });

  it('is handed over once, and again if that failed', () => {
    count('fewerbytes_delivery_kept_total', {});
    expect(hasNews()).toBe(true);
    const taken = takeNews();
    expect(hasNews()).toBe(false);
    count('fewerbytes_delivery_kept_total', {});
    returnNews(taken);
    expect(takeNews()).toEqual({ fewerbytes_delivery_kept_total: 2 });
  });

  it('has each observation in all buckets that are as wide', () => {
    for (const seconds of [0.1, 0.11, 31]) {
      observe('fewerbytes_wait_seconds', { for: 'turn' }, seconds);
    }
    expect(Object.values(counted())).toEqual([0, 1, 2, 2, 2, 2, 2, 3, 31.21, 3]);
    expect(Object.keys(counted())[1]).toBe('fewerbytes_wait_seconds_bucket{for="turn",le="0.1"}');
    expect(Object.keys(counted())[7]).toBe('fewerbytes_wait_seconds_bucket{for="turn",le="+Inf"}');
  });
});

describe('the text for Prometheus', () => {
  it('has each family once, with its help and type before its samples', () => {
    count('fewerbytes_requests_total', { route: '/v1/keys/{id}', method: 'GET', status: '200' });
    count('fewerbytes_mails_total', { outcome: 'sent' });
    count('fewerbytes_requests_total', { route: 'none', method: 'GET', status: '404' });
    expect(exposition(counted())).toBe(
      [
        `# HELP fewerbytes_requests_total ${families.fewerbytes_requests_total.help}`,
        '# TYPE fewerbytes_requests_total counter',
        'fewerbytes_requests_total{route="/v1/keys/{id}",method="GET",status="200"} 1',
        'fewerbytes_requests_total{route="none",method="GET",status="404"} 1',
        `# HELP fewerbytes_mails_total ${families.fewerbytes_mails_total.help}`,
        '# TYPE fewerbytes_mails_total counter',
        'fewerbytes_mails_total{outcome="sent"} 1',
        '',
      ].join('\n'),
    );
  });

  it('escapes what would end a label', () => {
    count('fewerbytes_images_made_total', { output: 'a"b\\c\nd' });
    expect(exposition(counted())).toContain('{output="a\\"b\\\\c\\nd"} 1\n');
  });

  it('leaves out what another version has counted', () => {
    expect(exposition({ fewerbytes_gone_total: 1, fewerbytes_requests: 2 })).toBe('');
  });

  it('has series at zero for every label whose values are known', () => {
    const samples = zeros();
    expect(Object.values(samples).every((value) => value === 0)).toBe(true);
    for (const event of Object.keys(faults)) {
      expect(samples).toHaveProperty([`fewerbytes_faults_total{event="${event}"}`]);
    }
    expect(samples).toHaveProperty('fewerbytes_hourly_runs_total');
    expect(Object.keys(samples).some((sample) => sample.includes('requests_total'))).toBe(false);
  });

  it.skipIf(!hasPromtool)('has no complaint from promtool', () => {
    count('fewerbytes_requests_total', { route: '/v1/keys/{id}', method: 'GET', status: '200' });
    observe('fewerbytes_request_duration_seconds', { route: '/v1/keys/{id}' }, 0.3);
    count('fewerbytes_work_cpu_seconds_total', { input: 'jpeg' }, 0.125);
    const input = exposition({ ...zeros(), ...counted(), fewerbytes_places: 3 });
    expect(promtool(['check', 'metrics'], input)).toEqual({ status: 0, output: '' });
  });
});

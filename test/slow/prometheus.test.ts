import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/local/free-port.ts';
import { root } from '../../scripts/local/root.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';

const token = '0123456789abcdef'.repeat(4);
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

describe.skipIf(!hasPrometheus)('a Prometheus of Debian', () => {
  let service: TestService;
  let prometheus: ChildProcess;
  let folder: string;
  let origin: string;

  beforeAll(async () => {
    service = await startTestService({}, { METRICS_TOKEN: token });
    folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const config = `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${join(root, 'deploy/prometheus/alerts.yml')}']
scrape_configs:
  - job_name: fewerbytes
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ['${service.url.host}'] }]
`;
    writeFileSync(join(folder, 'prometheus.yml'), config);
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
  });
  afterAll(async () => {
    const ended = new Promise((exited) => prometheus.once('exit', exited));
    prometheus.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
    await service.close();
  });

  /** The value of an expression; null if there is none. */
  async function queried(expression: string): Promise<number | null> {
    const url = `${origin}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const response = await fetch(url);
    const { data } = (await response.json()) as {
      data: { result: { value: [number, string] }[] };
    };
    const [first] = data.result;
    return first ? Number(first.value[1]) : null;
  }

  it('scrapes what a counted load has left', async () => {
    const picture = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 97 }).toBuffer());
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 4 === 0 ? service.fetch('/v1/nothing') : service.optimize(picture, '?format=webp'),
      ),
    );
    for (const response of responses) await response.arrayBuffer();
    const expected = {
      'up{job="fewerbytes"}': 1,
      'fewerbytes_requests_total{route="/v1/optimize",status="200"}': 15,
      'fewerbytes_requests_total{route="none",status="404"}': 5,
      'fewerbytes_images_made_total{output="webp"}': 15,
      'fewerbytes_problems_total{code="not_found"}': 5,
      'sum(fewerbytes_faults_total)': 0,
    };
    for (const [expression, value] of Object.entries(expected)) {
      await vi.waitFor(async () => expect(await queried(expression), expression).toBe(value), {
        timeout: 30_000,
        interval: 500,
      });
    }
    expect(await queried('count(ALERTS)')).toBeNull();
  });
});

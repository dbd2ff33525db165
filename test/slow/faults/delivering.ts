import { Client } from '../../support/client.ts';
import { ForeignServer } from '../../support/fetching-service.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { eventually } from '../../support/time.ts';
import { contradictions, meterContradictions, onlyAnswers } from './contradictions.ts';

/** A site as its owner sees it. */
export interface SiteRecord {
  readonly id: string;
  readonly slug: string;
  readonly month_used: number;
}

/** What the books have of an owner's images: results that were made, and files that they cost. */
interface Made {
  readonly made: number;
  readonly charged: number;
}

/** The service with someone who has sites, whose data outlive it, and the server that has their images. */
export class DeliveringFaults {
  readonly service: RestartableService;
  readonly foreign: ForeignServer;
  readonly owner: Client;

  private constructor(service: RestartableService, foreign: ForeignServer, owner: Client) {
    this.service = service;
    this.foreign = foreign;
    this.owner = owner;
  }

  static async start(
    email: string,
    vars: Readonly<Record<string, string>> = {},
  ): Promise<DeliveringFaults> {
    const foreign = new ForeignServer();
    await foreign.start();
    const service = await RestartableService.start({
      FREE_FILES_PER_MONTH: '100000',
      MAX_NEW_RESULTS_PER_MINUTE: '10000',
      MAX_FILES_PER_MINUTE: '10000',
      PRIVATE_SOURCES: `127.0.0.1:${foreign.port}`,
      ...vars,
    });
    const owner = new Client(service.origin);
    await owner.signIn(email);
    return new DeliveringFaults(service, foreign, owner);
  }

  /** Creates a site, with no limit but those that are given. */
  async site(slug: string, options: Readonly<Record<string, unknown>> = {}): Promise<SiteRecord> {
    const source = this.foreign.at(`/${slug}/`);
    const response = await this.owner.post('/v1/sites', {
      ...{ name: slug, slug, source, monthly_limit: null, on_error: 'error' },
      ...options,
    });
    if (response.status !== 201) throw new Error(await response.text());
    return response.json<SiteRecord>();
  }

  /** Sends requests to the Worker itself, since wrangler's proxy holds answers back. */
  async direct(): Promise<(path: string, signal?: AbortSignal) => Promise<Response>> {
    const origin = await this.service.innerOrigin();
    if (origin === null) throw new Error('the port of the Worker was not found');
    return (path, signal) =>
      fetch(`${origin}${path}`, { redirect: 'manual', signal: signal ?? null });
  }

  /** How often an image has been fetched. */
  fetches(path: string): number {
    return this.foreign.asked.filter(({ url }) => url === path).length;
  }

  /** The books of the account, once nothing is under way. */
  async books(): Promise<Made> {
    await eventually(async () => {
      const reserved = this.service.reserved();
      if (reserved > 0) throw new Error(`${reserved} reservations are open`);
    }, 60_000);
    const statistics = await this.owner.get('/v1/statistics');
    if (statistics.status !== 200) throw new Error(await statistics.text());
    const sums = `
      SELECT (SELECT coalesce(sum(free_used), 0) FROM mailboxes) AS charged,
             (SELECT coalesce(sum(files), 0) FROM usage_days) AS made`;
    return this.service.database.open((file) => {
      const row = file.prepare(sums).get();
      return { made: Number(row?.made), charged: Number(row?.charged) };
    });
  }

  /** Results that a site has made in this month, as its owner sees it. */
  async monthUsed(id: string): Promise<number | undefined> {
    const response = await this.owner.get('/v1/sites');
    const { items } = await response.json<{ items: SiteRecord[] }>();
    return items.find((site) => site.id === id)?.month_used;
  }

  /** What is wrong with the books; empty: nothing. */
  complaints(): string[] {
    const { database, meters } = this.service;
    return [
      ...database.open(contradictions).filter((one) => !one.startsWith(onlyAnswers)),
      ...meters.flatMap((meter) => meter.open(meterContradictions)),
    ];
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.foreign.stop();
  }
}

/** How many answers had each status. */
export function counted(answers: readonly Pick<Response, 'status'>[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

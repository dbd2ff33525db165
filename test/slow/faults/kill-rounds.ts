import { setTimeout as pause } from 'node:timers/promises';
import { plainPicture } from '../../support/pictures.ts';
import { Random } from '../../support/random.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { eventually } from '../../support/time.ts';
import { contradictions, meterContradictions } from './contradictions.ts';
import { Customer, type Pictures } from './customer.ts';
import { SignIns } from './sign-ins.ts';
import { Tally } from './visitor.ts';

interface KillSettings {
  readonly rounds: number;
  /** The same seed kills after the same times, or as soon after them as there is something to lose. */
  readonly seed: number;
  say(line: string): void;
}

interface KillReport {
  readonly kills: number;
  /** That have come whole. */
  readonly answers: number;
  /** Requests that the kills cost their answer. */
  readonly lost: number;
  /** What does not reconcile. */
  readonly complaints: readonly string[];
}

/** Few free files, so that both kinds of quota are used. */
const vars = { FREE_FILES_PER_MONTH: '60' };

/**
 * Lets everyone use the service in every way, kills it at some moment, runs it
 * again on the same data, and holds everything that was answered against them.
 */
export async function killRounds({ rounds, seed, say }: KillSettings): Promise<KillReport> {
  const times = new Random(seed);
  // drawn from in the order in which answers come, which no seed decides
  const random = new Random(seed + 1);
  const tally = new Tally();
  const service = await RestartableService.start(vars);
  const complaints: string[] = [];
  try {
    const names = ['ann', 'ben', 'cleo', 'dan'];
    const customers = await Promise.all(names.map((name) => Customer.signIn(name, service, tally)));
    const signIns = new SignIns(service.origin, tally);
    const pictures = await makePictures();
    // Only someone with a first image has accounts that can be compared.
    const first = await Promise.all(customers.map((it) => it.optimize(pictures, random)));
    complaints.push(...first.flat());
    for (let round = 1; round <= rounds; round += 1) {
      const delay = times.between(300, 4000);
      const lockedFor = times.unit() < 0.5 ? times.between(0.2, 0.6) * delay : 0;
      let isOver = false;
      const answeredBefore = tally.answers;
      const load = mixedLoad({ customers, signIns }, pictures, random, () => isOver);
      await pause(delay - lockedFor);
      if (lockedFor > 0) await service.database.whileLocked(() => pause(lockedFor / 2));
      await pause(lockedFor / 2);
      await busy(service, tally, answeredBefore + leastAnswers);
      const { answers } = tally;
      isOver = true;
      const isWhole = round % 2 === 1 || !service.killRuntime();
      if (isWhole) service.killAll();
      const found = await load;
      // what could not be booked for the lock, and what was answered since, is under way as well
      const inFlight = uploadsAtOnce * (lockedFor > 0 ? 3 : 1);
      if (isWhole) {
        // 45 minutes later: what was lost with earlier kills counts no more
        for (const meter of service.meters) meter.open((file) => file.exec(expireAll));
        await service.start();
      } else await answering(service.origin);
      found.push(...(await reconcile(service, customers, signIns, pictures, inFlight)));
      complaints.push(...found.map((complaint) => `round ${round}: ${complaint}`));
      const what = isWhole ? 'all of it' : 'the runtime';
      say(
        `kill ${round}, of ${what} after ${Math.round(delay)} ms and ${answers} answers: ${found.join('; ') || 'reconciles'}`,
      );
    }
  } finally {
    await service.close();
  }
  // else nothing was tried
  if (tally.lost === 0) complaints.push('no kill has cost anyone an answer');
  return { kills: rounds, answers: tally.answers, lost: tally.lost, complaints };
}

/** How many answers each round has at least. */
export const leastAnswers = 15;

/** Waits until so many answers have come in all and a picture is under way, however slow the machine. */
async function busy(service: RestartableService, tally: Tally, answers: number): Promise<void> {
  const isBusy = () => tally.answers >= answers && service.reserved() > 0;
  for (const deadline = Date.now() + 60_000; !isBusy() && Date.now() < deadline; ) await pause(10);
}

/** All that was answered against all that is there, after a restart. */
async function reconcile(
  service: RestartableService,
  customers: readonly Customer[],
  signIns: SignIns,
  { large }: Pictures,
  inFlight: number,
): Promise<string[]> {
  const { database } = service;
  await Promise.all(customers.map((customer) => customer.caughtUp()));
  const found = [
    ...service.meters.flatMap((meter) => meter.open(meterContradictions)),
    ...database.open((file) => [
      ...contradictions(file),
      ...customers.flatMap((customer) => customer.audit(file, inFlight)),
    ]),
  ];
  found.push(...(await signIns.reconcile()));
  for (const customer of customers) {
    found.push(...(await customer.keys.reconcile()), ...(await customer.wallet.reconcile()));
    found.push(...(await customer.compare(service)));
    found.push(...(await countsOpen(service, customer, large)));
  }
  await Promise.all(customers.map((customer) => customer.caughtUp()));
  found.push(...database.open(contradictions));
  found.push(...database.open((file) => customers.flatMap((customer) => customer.audit(file, 0))));
  return found;
}

/** What was reserved when the service died counts as long as it may still be answered. */
async function countsOpen(
  service: RestartableService,
  customer: Customer,
  picture: Uint8Array<ArrayBuffer>,
): Promise<string[]> {
  const open = customer.reserved(service);
  const left = await customer.left();
  const after = await customer.remainingAfter(picture);
  if (after === null || after === left - open - 1) return [];
  return [`${customer.email}: ${left} left with ${open} reserved, ${after} after one more`];
}

const expireAll = 'UPDATE lanes SET expires_at = 0 WHERE reservation IS NOT NULL';

/** Waits until what stands in front of the service has it running again. */
async function answering(origin: string): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${origin}/v1/health`);
    if (response.status !== 200) throw new Error('it does not answer');
  });
}

/** A picture that gets smaller, and one that cannot. */
async function makePictures(): Promise<Pictures> {
  const large = await plainPicture(240, 160).jpeg({ quality: 98 }).toBuffer();
  const small = await plainPicture(8, 8).webp({ lossless: true }).toBuffer();
  return { large: Uint8Array.from(large), small: Uint8Array.from(small) };
}

/** Calls to optimize that one customer has under way at a time. */
const uploadsAtOnce = 3;

/**
 * Keeps every kind of request coming from everyone, until `isOver` says so.
 * @returns what was answered and should not have been
 */
async function mixedLoad(
  { customers, signIns }: { customers: readonly Customer[]; signIns: SignIns },
  pictures: Pictures,
  random: Random,
  isOver: () => boolean,
): Promise<string[]> {
  const actors: (() => Promise<string[]>)[] = [];
  for (const customer of customers) {
    for (let i = 0; i < uploadsAtOnce; i += 1) {
      actors.push(() => customer.optimize(pictures, random));
    }
    actors.push(() => customer.keys.act(random));
    actors.push(() => customer.wallet.act(random));
  }
  actors.push(() => signIns.act(random));
  const complaints = actors.map(async (act) => {
    const found: string[] = [];
    while (!isOver()) found.push(...(await act()));
    return found;
  });
  return (await Promise.all(complaints)).flat();
}

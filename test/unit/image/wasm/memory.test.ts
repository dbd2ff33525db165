import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  arenaCeiling,
  buffersLimit,
  memoryBudget,
  servingBytes,
  sideCeiling,
} from '../../../../src/image/wasm/budgets.ts';
import {
  fitsAlone,
  type Holder,
  MemoryLedger,
  smallBytes,
} from '../../../../src/image/wasm/memory-ledger.ts';
import { Random } from '../../../support/random.ts';

const mebibyte = 1024 * 1024;

/** An arena that leaves 80 MiB. */
const arena = { bytes: 16 * mebibyte, reserved: 0 };
const room = memoryBudget - arena.bytes;
/** One that leaves 32 MiB. */
const fullArena = { bytes: 64 * mebibyte, reserved: 0 };

let ledger: MemoryLedger;
beforeEach(() => {
  ledger = new MemoryLedger(() => memoryBudget, arena);
});
afterEach(() => {
  vi.useRealTimers();
});

function fastBody(owner: string): Holder {
  const giveUp = () => expect.unreachable('a fast body was given up');
  return { owner, isSlow: false, allocatedBytes: 0, giveUp };
}

/** A body that hardly moves, and notes in `givenUp` when it has made way. */
function slowBody(owner: string, givenUp: string[] = [], allocatedBytes = 2 ** 31): Holder {
  return { owner, isSlow: true, allocatedBytes, giveUp: () => givenUp.push(owner) };
}

describe('the memory ledger', () => {
  it('counts the arena from the beginning', () => {
    expect(ledger.held).toBe(arena.bytes);
  });

  it('gives back what is released, once', () => {
    const hold = ledger.hold(5 * mebibyte);
    expect(ledger.held).toBe(arena.bytes + 5 * mebibyte);
    hold?.release();
    hold?.release();
    expect(ledger.held).toBe(arena.bytes);
    expect(hold?.resizeTo(mebibyte)).toBe(false);
    expect(ledger.held).toBe(arena.bytes);
  });

  it('never refuses what is there already, and counts it', () => {
    const others = [ledger.hold(20 * mebibyte), ledger.hold(20 * mebibyte)];
    expect(others).not.toContain(null);
    expect(ledger.hold(mebibyte)).toBeNull();
    const kept = ledger.keep(30 * mebibyte);
    expect(ledger.held).toBe(arena.bytes + 70 * mebibyte);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 10 * mebibyte })).toBe(true);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 10 * mebibyte + 1 })).toBe(false);
    kept.release();
    expect(ledger.held).toBe(arena.bytes + 40 * mebibyte);
  });

  it('leaves half of its room free to work in when there are several bodies', () => {
    expect(ledger.hold(20 * mebibyte)).not.toBeNull();
    expect(ledger.hold(20 * mebibyte + 1)).toBeNull();
    expect(ledger.hold(20 * mebibyte)).not.toBeNull();
    expect(ledger.hold(smallBytes + 1)).toBeNull();
  });

  it('lets a body in beside responses, and further ones into half of what those leave', () => {
    ledger.keep(room - 4 * mebibyte, { ...fastBody('ann'), isResponse: true });
    expect(ledger.hold(4 * mebibyte + 1)).toBeNull();
    expect(ledger.hold(mebibyte)).not.toBeNull();
    expect(ledger.hold(mebibyte + 1)).toBeNull();
    expect(ledger.hold(mebibyte)).not.toBeNull();
    expect(ledger.hold(smallBytes + 1)).toBeNull();
  });

  it('lets one request alone have what the budget leaves', () => {
    expect(ledger.hold(room + 1)).toBeNull();
    expect(ledger.hold(room)).not.toBeNull();
  });

  it('never gives away what is set aside', () => {
    ledger = new MemoryLedger(() => memoryBudget, arena, servingBytes);
    const step = { arena: 60 * mebibyte, buffers: memoryBudget - 60 * mebibyte - servingBytes };
    expect(ledger.makesRoomFor(step)).toBe(true);
    expect(ledger.makesRoomFor({ ...step, buffers: step.buffers + 1 })).toBe(false);
    expect(ledger.hold(room - servingBytes + 1)).toBeNull();
    expect(ledger.hold(room - servingBytes)).not.toBeNull();
  });

  it('grows a hold only as far as there is room, and always lets it shrink', () => {
    const hold = ledger.hold(mebibyte);
    ledger.hold(20 * mebibyte);
    expect(hold?.resizeTo(20 * mebibyte + 1)).toBe(false);
    expect(hold?.bytes).toBe(mebibyte);
    expect(hold?.resizeTo(20 * mebibyte)).toBe(true);
    expect(ledger.held).toBe(arena.bytes + 40 * mebibyte);
    arena.bytes += 20 * mebibyte;
    expect(hold?.resizeTo(19 * mebibyte)).toBe(true);
    arena.bytes -= 20 * mebibyte;
    expect(ledger.held).toBe(arena.bytes + 39 * mebibyte);
  });

  it('says whether a step fits beside what is held', () => {
    ledger.hold(20 * mebibyte);
    expect(ledger.makesRoomFor({ arena: 60 * mebibyte, buffers: 16 * mebibyte })).toBe(true);
    expect(ledger.makesRoomFor({ arena: 60 * mebibyte, buffers: 16 * mebibyte + 1 })).toBe(false);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 60 * mebibyte })).toBe(true);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 60 * mebibyte + 1 })).toBe(false);
  });

  it('frees what a request held that gives no sign of life for ten minutes, and nothing else', () => {
    vi.useFakeTimers();
    const givenUp: string[] = [];
    const torn = { ...fastBody('ann'), giveUp: () => givenUp.push('ann') };
    ledger.hold(20 * mebibyte, torn);
    const living = ledger.keep(20 * mebibyte, fastBody('bob'));
    vi.advanceTimersByTime(10 * 60 * 1000);
    living.touch();
    expect(ledger.hold(32 * mebibyte)).toBeNull();
    expect(givenUp).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(ledger.hold(20 * mebibyte)).not.toBeNull();
    expect(givenUp).toEqual(['ann']);
    expect(ledger.held).toBe(arena.bytes + 40 * mebibyte);
  });

  it('lets small bodies in beside others, as long as there is memory at all', () => {
    ledger.hold(40 * mebibyte);
    expect(ledger.hold(smallBytes + 1)).toBeNull();
    expect(ledger.hold(smallBytes)).not.toBeNull();
    ledger.keep(room - 40 * mebibyte - smallBytes);
    expect(ledger.hold(1)).toBeNull();
  });

  it('answers a question without making anybody give way', () => {
    ledger.hold(30 * mebibyte, slowBody('ann'));
    expect(ledger.survey().hasRoomFor({ arena: 0, buffers: room })).toBe(true);
    expect(ledger.survey().hasRoomFor({ arena: 0, buffers: room + 1 })).toBe(false);
    ledger.hold(mebibyte, fastBody('bob'));
    expect(ledger.survey().hasRoomFor({ arena: 0, buffers: room })).toBe(false);
    expect(ledger.held).toBe(arena.bytes + 31 * mebibyte);
  });
});

describe('the bodies of one owner', () => {
  it('hold at most a third of the budget, of which an announced length is part', () => {
    ledger.hold(20 * mebibyte, fastBody('ann'));
    expect(ledger.survey().obstacleTo(12 * mebibyte, fastBody('ann'))).toBeNull();
    expect(ledger.survey().obstacleTo(12 * mebibyte + 1, fastBody('ann'))).toBe('owner-share');
    expect(ledger.survey().obstacleTo(20 * mebibyte, fastBody('bob'))).toBeNull();
    expect(ledger.survey().obstacleTo(20 * mebibyte + 1, fastBody('bob'))).toBe('memory');
    expect(ledger.held).toBe(arena.bytes + 20 * mebibyte);
    expect(ledger.hold(12 * mebibyte + 1, fastBody('ann'))).toBeNull();
    const second = ledger.hold(mebibyte, fastBody('ann'));
    expect(second?.resizeTo(12 * mebibyte + 1)).toBe(false);
    expect(second?.resizeTo(12 * mebibyte)).toBe(true);
  });

  it('are not bound by it when there is only one', () => {
    expect(ledger.hold(mebibyte, fastBody('bob'))).not.toBeNull();
    expect(ledger.hold(39 * mebibyte, fastBody('ann'))).not.toBeNull();
  });

  it('do not make way for each other, and a slow one does not halve the room', () => {
    ledger = new MemoryLedger(() => memoryBudget, fullArena);
    const givenUp: string[] = [];
    ledger.hold(20 * mebibyte, slowBody('ann', givenUp));
    expect(ledger.hold(12 * mebibyte + 1, fastBody('ann'))).toBeNull();
    expect(ledger.hold(12 * mebibyte, fastBody('ann'))?.isAlone).toBe(false);
    expect(givenUp).toEqual([]);
  });
});

describe('slow bodies', () => {
  it('stay when there is room for all', () => {
    const givenUp: string[] = [];
    for (const owner of ['ann', 'bob', 'cid']) ledger.hold(15 * mebibyte, slowBody(owner, givenUp));
    expect(ledger.hold(35 * mebibyte, fastBody('dee'))?.isAlone).toBe(true);
    expect(givenUp).toEqual([]);
    expect(ledger.held).toBe(memoryBudget);
  });

  it('make way for a hold and for its growth, the largest first, and no more than have to', () => {
    const givenUp: string[] = [];
    ledger.hold(10 * mebibyte, slowBody('ann', givenUp));
    const largest = ledger.hold(30 * mebibyte, slowBody('bob', givenUp));
    ledger.hold(20 * mebibyte, slowBody('cid', givenUp));
    const hold = ledger.hold(20 * mebibyte, fastBody('dee'));
    expect(givenUp).toEqual([]);
    expect(hold?.resizeTo(20 * mebibyte + 1)).toBe(true);
    expect(givenUp).toEqual(['bob']);
    expect(ledger.held).toBe(arena.bytes + 50 * mebibyte + 1);
    largest?.release();
    expect(largest?.resizeTo(1)).toBe(false);
    expect(ledger.held).toBe(arena.bytes + 50 * mebibyte + 1);
    expect(hold?.resizeTo(room)).toBe(true);
    expect(givenUp).toEqual(['bob', 'cid', 'ann']);
    expect(ledger.held).toBe(memoryBudget);
  });

  it('first give away what they have only reserved', () => {
    const givenUp: string[] = [];
    ledger.hold(30 * mebibyte, slowBody('ann', givenUp, mebibyte));
    ledger.hold(30 * mebibyte, slowBody('bob', givenUp, 20 * mebibyte));
    expect(ledger.hold(40 * mebibyte, fastBody('cid'))).not.toBeNull();
    expect(givenUp).toEqual([]);
    expect(ledger.held).toBe(arena.bytes + (1 + 30 + 40) * mebibyte);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 15 * mebibyte })).toBe(true);
    expect(givenUp).toEqual([]);
    expect(ledger.makesRoomFor({ arena: 0, buffers: 30 * mebibyte })).toBe(true);
    expect(givenUp).toEqual(['bob']);
  });

  it('make way for a step of work, whose owner it does not know', () => {
    const givenUp: string[] = [];
    ledger.hold(mebibyte, fastBody('ann'));
    ledger.hold(10 * mebibyte, slowBody('ann', givenUp));
    ledger.hold(20 * mebibyte, slowBody('bob', givenUp));
    expect(ledger.makesRoomFor({ arena: 60 * mebibyte, buffers: 5 * mebibyte })).toBe(true);
    expect(givenUp).toEqual([]);
    expect(ledger.makesRoomFor({ arena: 60 * mebibyte, buffers: 25 * mebibyte })).toBe(true);
    expect(givenUp).toEqual(['bob']);
    expect(ledger.makesRoomFor({ arena: 60 * mebibyte, buffers: 35 * mebibyte })).toBe(true);
    expect(givenUp).toEqual(['bob', 'ann']);
  });

  it('stay when that would not be enough, for a question, and for a body that is slow itself', () => {
    ledger = new MemoryLedger(() => memoryBudget, fullArena);
    const givenUp: string[] = [];
    ledger.hold(mebibyte, fastBody('ann'));
    ledger.hold(15 * mebibyte, slowBody('bob', givenUp));
    expect(ledger.makesRoomFor({ arena: 0, buffers: 31 * mebibyte + 1 })).toBe(false);
    expect(ledger.hold(15 * mebibyte + 1, fastBody('cid'))).toBeNull();
    expect(ledger.hold(16 * mebibyte + 1, slowBody('cid'))).toBeNull();
    expect(ledger.survey().obstacleTo(15 * mebibyte, fastBody('cid'))).toBeNull();
    expect(givenUp).toEqual([]);
  });
});

describe('work that pauses', () => {
  const peak = { arena: 40 * mebibyte, side: 4 * mebibyte, buffers: 20 * mebibyte };
  /** What it leaves of the budget. */
  const rest = 32 * mebibyte;
  const main = { bytes: 16 * mebibyte, reserved: 16 * mebibyte };
  const side = { bytes: mebibyte, reserved: mebibyte };

  /** Whether others can hold so many bytes and no more. */
  function expectRoom(bytes: number): void {
    expect(ledger.survey().obstacleTo(bytes, undefined)).toBeNull();
    expect(ledger.survey().obstacleTo(bytes + 1, undefined)).toBe('memory');
    expect(ledger.makesRoomFor({ arena: 0, buffers: bytes })).toBe(true);
    expect(ledger.makesRoomFor({ arena: 0, buffers: bytes + 1 })).toBe(false);
  }

  beforeEach(() => {
    ledger = new MemoryLedger(() => memoryBudget, main, 0, side);
    Object.assign(main, { bytes: 16 * mebibyte, reserved: 16 * mebibyte });
    Object.assign(side, { bytes: mebibyte, reserved: mebibyte });
  });

  it('leaves to bodies and responses what its predicted peak leaves', () => {
    ledger.claim(peak).pause();
    expectRoom(rest);
    const body = ledger.hold(rest - mebibyte, fastBody('ann'));
    expect(body?.resizeTo(rest + 1)).toBe(false);
    expect(ledger.holdBeside(mebibyte + 1)).toBeNull();
    expect(ledger.holdBeside(mebibyte)).not.toBeNull();
    expect(ledger.hold(1, fastBody('bob'))).toBeNull();
  });

  it('leaves less where an arena has grown or may grow, or a step may take more buffers', () => {
    const claim = ledger.claim(peak);
    main.reserved = 45 * mebibyte;
    claim.pause();
    expectRoom(rest - 5 * mebibyte);
    claim.resume();
    main.reserved = 16 * mebibyte;
    side.bytes = 6 * mebibyte;
    const grants = [ledger.grant(mebibyte), ledger.grant(24 * mebibyte)];
    claim.pause();
    expectRoom(rest - 6 * mebibyte);
    claim.resume();
    for (const grant of grants) grant.release();
    claim.pause();
    expectRoom(rest - 2 * mebibyte);
  });

  it('finds its peak free again, and is counted only once, when it goes on', () => {
    const claim = ledger.claim(peak);
    claim.pause();
    ledger.hold(rest, fastBody('ann'));
    claim.resume();
    expect(ledger.makesRoomFor(peak)).toBe(true);
    expect(ledger.makesRoomFor({ ...peak, buffers: peak.buffers + 1 })).toBe(false);
    expect(ledger.freeBeside(peak)).toBe(0);
    expect(ledger.held).toBe(17 * mebibyte + rest);
  });

  it('has slow bodies make way for others as if its peak were held', () => {
    const givenUp: string[] = [];
    ledger.hold(20 * mebibyte, slowBody('ann', givenUp));
    const claim = ledger.claim(peak);
    claim.pause();
    expect(ledger.hold(rest - 20 * mebibyte, fastBody('bob'))).not.toBeNull();
    expect(givenUp).toEqual([]);
    expect(ledger.hold(mebibyte, fastBody('cid'))).not.toBeNull();
    expect(givenUp).toEqual(['ann']);
  });

  it('gives back all room at its end, whatever its steps were granted', () => {
    const all = memoryBudget - 17 * mebibyte;
    for (const isPaused of [true, false]) {
      const claim = ledger.claim(peak);
      ledger.grant(50 * mebibyte);
      if (isPaused) claim.pause();
      claim.end();
      expectRoom(all);
      claim.end();
      claim.pause();
      expectRoom(all);
    }
    ledger.claim(peak).pause();
    expectRoom(rest);
  });

  it('is one at a time, and counts no grants of steps that belong to none', () => {
    ledger.grant(50 * mebibyte);
    const claim = ledger.claim(peak);
    expect(() => ledger.claim({ arena: 0, buffers: 0 })).toThrow('one work at a time');
    claim.pause();
    expectRoom(rest);
  });

  it('never comes to more than the budget with all that others hold, whatever they do in between', () => {
    const random = new Random(5);
    const upTo = (bytes: number) => Math.floor(random.unit() * bytes);
    for (let run = 0; run < 100; run += 1) {
      ledger = new MemoryLedger(() => memoryBudget, main, servingBytes, side);
      const first = upTo(buffersLimit);
      const most = {
        arena: upTo(arenaCeiling),
        side: upTo(sideCeiling),
        buffers: upTo(buffersLimit - first),
      };
      Object.assign(main, { bytes: upTo(arenaCeiling), reserved: 0 });
      Object.assign(side, { bytes: upTo(sideCeiling), reserved: 0 });
      const holds = [ledger.hold(first)];
      const claim = ledger.claim(most);
      let granted = 0;
      const expectWithinBudget = () => {
        const arenas = [main, side].map(({ bytes, reserved }) => Math.max(reserved - bytes, 0));
        const growth = arenas.reduce((sum, bytes) => sum + bytes, granted);
        expect(ledger.held + growth).toBeLessThanOrEqual(memoryBudget - servingBytes);
      };
      for (let slice = 0; slice < 8; slice += 1) {
        claim.resume();
        expect(ledger.makesRoomFor(most)).toBe(true);
        // Some steps take more than was predicted, if that is free.
        const step = {
          arena: upTo(1.5 * most.arena),
          side: upTo(1.5 * most.side),
          buffers: upTo(1.5 * most.buffers),
        };
        const grant = ledger.makesRoomFor(step) ? ledger.grant(step.buffers) : null;
        if (grant) {
          Object.assign(main, { bytes: Math.max(main.bytes, upTo(step.arena)) });
          [main.reserved, side.reserved, granted] = [step.arena, step.side, step.buffers];
        }
        expectWithinBudget();
        claim.pause();
        for (let i = 0; i < 4; i += 1) {
          holds.push(ledger.hold(upTo(20 * mebibyte), i % 2 ? slowBody('ann') : undefined));
          const any = holds[upTo(holds.length)];
          if (random.unit() < 0.3) any?.release();
          else any?.resizeTo(upTo(20 * mebibyte));
          expectWithinBudget();
        }
        grant?.release();
        granted = 0;
      }
      claim.end();
    }
  });
});

describe('a step alone in an isolate', () => {
  it('fits when buffers and file fit beside an arena at its ceiling', () => {
    expect(fitsAlone({ arena: arenaCeiling, buffers: buffersLimit - 10 }, 10)).toBe(true);
    expect(fitsAlone({ arena: 0, buffers: buffersLimit - 10 }, 11)).toBe(false);
    expect(servingBytes + arenaCeiling + sideCeiling + buffersLimit).toBe(memoryBudget);
  });

  it('does not fit when an arena would have to pass its ceiling', () => {
    expect(fitsAlone({ arena: arenaCeiling + 1, buffers: 0 }, 0)).toBe(false);
    expect(fitsAlone({ arena: 0, side: sideCeiling + 1, buffers: 0 }, 0)).toBe(false);
  });
});

import { expect, it } from 'vitest';
import { cpuMilliseconds } from '../../../../bench/service/workerd.ts';
import { fieldOf } from '../../../support/processes.ts';

it('reads sizes of a process from its status', () => {
  const status = 'Name:\tworkerd\nPPid:\t77\nVmHWM:\t  296320 kB\nVmRSS:\t  215000 kB\n';
  expect(fieldOf(status, 'VmRSS')).toBe(215_000);
  expect(fieldOf(status, 'VmHWM')).toBe(296_320);
  expect(fieldOf(status, 'VmSwap')).toBe(0);
});

it('adds the time of the user and of the system, whatever the process is called', () => {
  const stat = '4711 (a) worker d) S 1 2 3 4 5 6 7 8 9 10 120 30 7 9 20 0 8 0 5';
  expect(cpuMilliseconds(stat)).toBe(1500);
});

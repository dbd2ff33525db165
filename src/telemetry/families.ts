import { errorCodes } from '../errors.ts';
import { faults } from './faults.ts';

interface Family {
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** For operators, in plain text. */
  readonly help: string;
  /**
   * All values of each label, whose series are there from the beginning, so that their first increase is seen; null where
   * they are too many: each series comes with its first count. No value is ever what a client has sent.
   */
  readonly labels: Readonly<Record<string, readonly string[] | null>>;
  /** Upper bounds of the buckets of a histogram. */
  readonly bounds?: readonly number[];
  /** Whether only the service on Node has it. */
  readonly onNode?: true;
}

/** Answers take from a millisecond to half a minute. */
const secondsBounds = [0.025, 0.1, 0.25, 1, 2.5, 10, 30];

/** All metrics, by name, in the order in which they are shown. The documentation is generated from this table. */
export const families = {
  fewerbytes_requests_total: {
    type: 'counter',
    help: 'Requests, by the pattern that the path matched ("none": no such path), method and status.',
    labels: { route: null, method: null, status: null },
  },
  fewerbytes_request_duration_seconds: {
    type: 'histogram',
    help: 'Time until the response was ready.',
    labels: { route: null },
    bounds: secondsBounds,
  },
  fewerbytes_problems_total: {
    type: 'counter',
    help: 'Responses with an error, by its code.',
    labels: { code: errorCodes },
  },
  fewerbytes_faults_total: {
    type: 'counter',
    help: 'What is logged as an error, by its event.',
    labels: { event: Object.keys(faults) },
  },
  fewerbytes_images_received_total: {
    type: 'counter',
    help: 'Images whose headers could be read, by format.',
    labels: { input: null },
  },
  fewerbytes_images_received_bytes_total: {
    type: 'counter',
    help: 'Size of these images.',
    labels: { input: null },
  },
  fewerbytes_images_made_total: {
    type: 'counter',
    help: 'Results, by format; each of a set counts.',
    labels: { output: null },
  },
  fewerbytes_images_made_bytes_total: {
    type: 'counter',
    help: 'Size of these results.',
    labels: { output: null },
  },
  fewerbytes_work_predicted_cpu_seconds_total: {
    type: 'counter',
    help: 'Computing time that finished work was predicted to take, by format of the source.',
    labels: { input: null },
  },
  fewerbytes_work_cpu_seconds_total: {
    type: 'counter',
    help: 'Computing time that this work took.',
    labels: { input: null },
    onNode: true,
  },
  fewerbytes_wait_seconds: {
    type: 'histogram',
    help: 'How long images waited for authorization, for memory for their body, and for their turn.',
    labels: { for: ['authorization', 'memory', 'turn'] },
    bounds: secondsBounds,
  },
  fewerbytes_wait_refusals_total: {
    type: 'counter',
    help: 'Images that were refused because there was too much to do, by what kept them waiting ("queue": it was too long to join).',
    labels: { for: ['authorization', 'memory', 'turn', 'queue'] },
  },
  fewerbytes_reservations_total: {
    type: 'counter',
    help: 'What meters answered when a file of the quota was to be reserved.',
    labels: {
      answer: [
        'reserved',
        'exhausted',
        'key-limit',
        'path-limit',
        'too-fast',
        'site-too-fast',
        'too-many-uncharged',
        'unknown-key',
      ],
    },
  },
  fewerbytes_mails_total: {
    type: 'counter',
    help: 'Mails, by what became of them.',
    labels: { outcome: ['sent', 'undeliverable', 'failed'] },
  },
  fewerbytes_delivery_lookups_total: {
    type: 'counter',
    help: 'Images by URL that were not in the cache in front, by what was kept of them.',
    labels: { kept: ['fresh', 'stale', 'expired', 'nothing'] },
  },
  fewerbytes_delivery_attempts_total: {
    type: 'counter',
    help: 'Attempts to make an image by URL, by outcome ("unchanged": what was kept is still right).',
    labels: { outcome: ['made', 'unchanged', 'failed'] },
  },
  fewerbytes_delivery_kept_total: {
    type: 'counter',
    help: 'Images by URL that were put into the bucket.',
    labels: {},
  },
  fewerbytes_hourly_runs_total: {
    type: 'counter',
    help: 'Times that everything expired was cleared.',
    labels: {},
  },
  fewerbytes_jobs: {
    type: 'gauge',
    help: 'Images that are waiting or being worked on, by stage.',
    labels: {
      stage: [
        'arriving',
        'authorizing',
        'expected',
        'waiting for memory',
        'held',
        'waiting for a turn',
        'working',
      ],
    },
    onNode: true,
  },
  fewerbytes_places: {
    type: 'gauge',
    help: 'Images that can be worked on at the same time.',
    labels: {},
    onNode: true,
  },
  fewerbytes_memory_held_bytes: {
    type: 'gauge',
    help: 'Memory of bodies and responses that the main thread accounts for.',
    labels: {},
    onNode: true,
  },
  fewerbytes_memory_limit_bytes: {
    type: 'gauge',
    help: 'What it may account for at most.',
    labels: {},
    onNode: true,
  },
  fewerbytes_state_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of STATE_DIR.',
    labels: {},
    onNode: true,
  },
  fewerbytes_main_thread_busy_seconds_total: {
    type: 'counter',
    help: 'Time in which the main thread was not idle.',
    labels: {},
    onNode: true,
  },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'Computing time of the process, with all threads.',
    labels: {},
    onNode: true,
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the process.',
    labels: {},
    onNode: true,
  },
  process_open_fds: {
    type: 'gauge',
    help: 'Open files and connections; on Linux.',
    labels: {},
    onNode: true,
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'When the process started, in seconds since 1970.',
    labels: {},
    onNode: true,
  },
} as const satisfies Record<string, Family>;

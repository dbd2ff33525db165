/** What can be told of a fault, beside its event. Nothing of it comes from a client. */
type Member =
  /** The `Request-Id` of the response. */
  | 'request_id'
  /** Message or stack trace of the error. */
  | 'error'
  /** A code that says why. */
  | 'reason'
  | 'route'
  | 'reservation_id'
  | 'payment_id'
  /** Ids that Stripe has given, and the type of its event. */
  | 'session_id'
  | 'payment_intent'
  | 'event_id'
  | 'type'
  /** A file of the state folder. */
  | 'file';

interface FaultKind {
  /** For operators, in Markdown. */
  readonly meaning: string;
  readonly members: readonly Member[];
  /** Members that are not always there. */
  readonly optional?: readonly Member[];
}

/** Everything that is logged as an error, by its event. The documentation is generated from this table. */
export const faults = {
  request_failed: {
    meaning:
      'A request met a bug or an outage, and got 500 or 503. `error` has the stack trace, `route` the method and the pattern of the path.',
    members: ['request_id', 'route', 'error'],
  },
  delivery_failed: {
    meaning: 'The same of an image by URL: the browser got the original or an error.',
    members: ['request_id', 'error'],
  },
  not_answered: {
    meaning: 'On Node: the same, before or after the service itself handled the request.',
    members: [],
    optional: ['error'],
  },
  unhandled_rejection: {
    meaning: 'On Node: something failed that nothing waits for; the service goes on.',
    members: ['error'],
  },
  not_sent: {
    meaning: 'On Node: a response could not be written, and its connection was closed.',
    members: ['error'],
  },
  meter_failed: {
    meaning: 'The meter of a mailbox, or the database that it needs, did not answer; 503.',
    members: ['request_id', 'error'],
  },
  not_booked: {
    meaning: 'A response was not counted, even after retries: the customer got the file for free.',
    members: ['reservation_id'],
    optional: ['error'],
  },
  not_flushed: {
    meaning: 'A meter could not write its sums to the database; it tries again.',
    members: ['error'],
  },
  mailbox_lost: {
    meaning:
      'The database lacks the mailbox of a meter, as after a [restore](#rolling-back): what the meter has counted is dropped, and its keys are refused.',
    members: [],
  },
  requests_not_recorded: {
    meaning: 'Requests are missing from the logs of their keys, even after retries.',
    members: ['error'],
  },
  requests_not_deleted: {
    meaning:
      'Requests with keys that are too old to be shown could not be deleted; it is tried again.',
    members: ['error'],
  },
  key_log_failed: {
    meaning: 'The logs of the keys of a mailbox did not answer; 503.',
    members: ['request_id', 'error'],
  },
  set_broke_off: {
    meaning: 'A bug ended a set whose archive had begun; what was not made is not charged.',
    members: ['request_id', 'error'],
  },
  work_not_ended: {
    meaning: 'Work on an image whose client has gone could not be ended.',
    members: ['error'],
  },
  thread_ended: {
    meaning: 'On Node: a thread died at work, perhaps for lack of memory, and is replaced.',
    members: ['error'],
  },
  email_not_sent: {
    meaning: 'A sign-in code was not sent; `reason` is the provider’s code.',
    members: ['request_id', 'reason'],
  },
  mail_limit_reached: {
    meaning: '`MAILS_PER_DAY` is used up: people cannot sign in.',
    members: ['request_id'],
  },
  not_followed_up: {
    meaning: 'What follows the mail with a code was not written: that code may not work.',
    members: ['request_id'],
    optional: ['error'],
  },
  turnstile_unavailable: {
    meaning: 'Turnstile did not answer: people cannot ask for a code.',
    members: ['request_id', 'reason'],
  },
  session_not_looked_up: {
    meaning: 'KV did not answer; the session was checked in the database alone.',
    members: ['error'],
  },
  quota_mail_dropped: {
    meaning: 'A [quota mail](accounts.md#quota-mails) was not sent, and will not be.',
    members: ['reason'],
  },
  quota_mails_not_sent: {
    meaning: 'The database or a meter failed before quota mails were sent; they are tried again.',
    members: ['error'],
  },
  checkout_failed: {
    meaning: 'Stripe did not open a checkout; the buyer was told.',
    members: ['request_id', 'payment_id', 'reason'],
  },
  payment_does_not_fit: {
    meaning: 'What was paid differs from what was for sale: nothing was credited.',
    members: ['session_id', 'payment_id'],
  },
  payment_of_deleted_account: {
    meaning: 'Someone has paid for files that nobody can use.',
    members: ['payment_id'],
  },
  payment_event_malformed: {
    meaning: 'An event of Stripe lacks what it should have.',
    members: ['event_id', 'type'],
  },
  refund_does_not_fit: {
    meaning: 'A refund is in another currency than its payment: no files were taken back.',
    members: ['payment_intent', 'payment_id'],
  },
  result_not_found: {
    meaning: 'The bucket failed to say whether it has an image by URL, which was made again.',
    members: ['error'],
  },
  result_not_kept: {
    meaning: 'The bucket failed to keep an image by URL.',
    members: ['request_id', 'error'],
  },
  result_not_deleted: {
    meaning: 'The bucket failed to delete an image by URL; it is deleted later.',
    members: ['error'],
  },
  site_not_published: {
    meaning: 'KV or the database failed after a site was changed; the cron repeats it.',
    members: ['request_id', 'error'],
  },
  results_not_swept: {
    meaning: 'The bucket failed after a purge; the cron repeats it.',
    members: ['request_id', 'error'],
  },
  hourly_work_failed: {
    meaning: 'On Node: what has expired was not cleared; the next hour tries again.',
    members: ['error'],
  },
  alarms_not_read: {
    meaning: 'On Node: it is unknown which meters are to write their sums; tried again soon.',
    members: ['error'],
  },
  alarm_failed: {
    meaning: 'On Node: a meter could not be opened to write its sums; tried again soon.',
    members: ['error'],
  },
  alarm_not_kept: {
    meaning: 'On Node: that a meter has written its sums was not noted; it is called again.',
    members: ['error'],
  },
  disk_full: {
    meaning: 'On Node: there is no room on the disk; logged at most once a minute.',
    members: ['reason', 'file'],
  },
  disk_read_only: {
    meaning: 'On Node: a file cannot be written; logged at most once a minute.',
    members: ['reason', 'file'],
  },
  disk_failed: {
    meaning: 'On Node: the disk failed to read or write; logged at most once a minute.',
    members: ['reason', 'file'],
  },
  too_many_open_files: {
    meaning: 'On Node: raise the limit of open files (`ulimit -n`); logged at most once a minute.',
    members: ['reason', 'file'],
  },
} as const satisfies Record<string, FaultKind>;

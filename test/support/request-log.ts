/** One log entry of a Worker, as stored by the harness: objects are printed in Node's format. */
interface Line {
  readonly level: string;
  readonly message: string;
}

export type LoggedRequest = Readonly<Record<string, string | number>>;

/**
 * The request records in the log.
 * @param logs as returned by `TestService.logs()`
 */
export function requestRecords(logs: string): LoggedRequest[] {
  return (JSON.parse(logs) as Line[])
    .filter(({ level, message }) => level === 'log' && message.includes("event: 'request'"))
    .map(({ message }) => {
      const members = message.matchAll(/^ {2}(\w+): (?:'(.*)'|([\d.]+)),?$/gm);
      return Object.fromEntries(
        Array.from(members, ([, name = '', text, figure]) => [name, text ?? Number(figure)]),
      );
    });
}

/** The only record of a request; fails if there is none, or more than one. */
export function recordOf(logs: string, response: Response): LoggedRequest {
  const id = response.headers.get('Request-Id') ?? '';
  const records = requestRecords(logs).filter(({ request_id }) => request_id === id);
  const [record, ...others] = records;
  if (!record || others.length > 0) throw new Error(`${records.length} records of ${id}`);
  return record;
}

/** One thing that a Worker has logged, as the harness keeps it: objects are printed as Node shows them. */
interface Line {
  readonly level: string;
  readonly message: string;
}

export type LoggedRequest = Readonly<Record<string, string | number>>;

/**
 * What the log has of requests.
 * @param logs as `TestService.logs()` gives them
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

/** The one record of a request; fails when there is none, or more of them. */
export function recordOf(logs: string, response: Response): LoggedRequest {
  const id = response.headers.get('Request-Id') ?? '';
  const records = requestRecords(logs).filter(({ request_id }) => request_id === id);
  const [record, ...others] = records;
  if (!record || others.length > 0) throw new Error(`${records.length} records of ${id}`);
  return record;
}

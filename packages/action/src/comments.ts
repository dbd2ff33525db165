import { marker } from './report.ts';

interface Comment {
  readonly id: number;
  readonly body?: string;
  readonly user: { readonly type: string } | null;
}

const pageSize = 100;
/** Pages of comments that are searched for an earlier one; beyond that, a new comment is written. */
const maxPages = 30;

/** The comments of a pull request (GitHub's REST API). */
export class Comments {
  readonly #issues: string;
  readonly #number: number;
  readonly #token: string;

  constructor(
    environment: Readonly<Record<string, string | undefined>>,
    number: number,
    token: string,
  ) {
    const { GITHUB_API_URL = 'https://api.github.com', GITHUB_REPOSITORY = '' } = environment;
    this.#issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;
    this.#number = number;
    this.#token = token;
  }

  /**
   * Creates the comment, or updates the one of an earlier run.
   * @param isWorthStarting whether to create one if there is none yet
   * @returns the status of GitHub's error response; null if all went well
   */
  async write(body: string, isWorthStarting: boolean): Promise<number | null> {
    const earlier = await this.#earlier();
    if (typeof earlier === 'number') return earlier;
    if (!earlier && !isWorthStarting) return null;
    const response = earlier
      ? await this.#call('PATCH', `/comments/${earlier.id}`, { body })
      : await this.#call('POST', `/${this.#number}/comments`, { body });
    return response.ok ? null : response.status;
  }

  /** Finds the comment of an earlier run: it has the marker and a bot as its author, since anyone may copy the marker. */
  async #earlier(): Promise<Comment | number | null> {
    for (let page = 1; page <= maxPages; page += 1) {
      const path = `/${this.#number}/comments?per_page=${pageSize}&page=${page}`;
      const response = await this.#call('GET', path);
      if (!response.ok) return response.status;
      const comments = (await response.json()) as readonly Comment[];
      const found = comments.find(
        ({ body, user }) => body?.startsWith(marker) && user?.type === 'Bot',
      );
      if (found) return found;
      if (comments.length < pageSize) return null;
    }
    return null;
  }

  #call(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#issues}${path}`, {
      method,
      headers: {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${this.#token}`,
        'X-GitHub-Api-Version': '2022-11-28',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }
}

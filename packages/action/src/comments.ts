import { marker } from './report.ts';

interface Comment {
  readonly id: number;
  readonly body?: string;
  readonly user: { readonly type: string; readonly login: string } | null;
}

const pageSize = 100;
/** Pages of comments that are searched for an earlier one; beyond that, a new comment is written. */
const maxPages = 30;

/** The comments of a pull request (GitHub's REST API). */
export class Comments {
  readonly #api: string;
  readonly #issues: string;
  readonly #number: number;
  readonly #token: string;
  #ownerKnown: Promise<string | null> | null = null;

  constructor(
    environment: Readonly<Record<string, string | undefined>>,
    number: number,
    token: string,
  ) {
    const { GITHUB_API_URL = 'https://api.github.com', GITHUB_REPOSITORY = '' } = environment;
    this.#api = GITHUB_API_URL;
    this.#issues = `/repos/${GITHUB_REPOSITORY}/issues`;
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
      ? await this.#call('PATCH', `${this.#issues}/comments/${earlier.id}`, { body })
      : await this.#call('POST', `${this.#issues}/${this.#number}/comments`, { body });
    return response.ok ? null : response.status;
  }

  /**
   * Finds the comment of an earlier run. It has the marker and, since anyone may copy that, a bot or the owner of the
   * token as its author.
   */
  async #earlier(): Promise<Comment | number | null> {
    for (let page = 1; page <= maxPages; page += 1) {
      const path = `${this.#issues}/${this.#number}/comments?per_page=${pageSize}&page=${page}`;
      const response = await this.#call('GET', path);
      if (!response.ok) return response.status;
      const comments = (await response.json()) as readonly Comment[];
      for (const comment of comments.filter(({ body }) => body?.startsWith(marker))) {
        if (comment.user && (await this.#isOwn(comment.user))) return comment;
      }
      if (comments.length < pageSize) return null;
    }
    return null;
  }

  async #isOwn({ type, login }: NonNullable<Comment['user']>): Promise<boolean> {
    return type === 'Bot' || login === (await this.#owner());
  }

  /** The user who owns the token; null for the workflow's own token, which belongs to a bot. */
  #owner(): Promise<string | null> {
    this.#ownerKnown ??= this.#call('GET', '/user').then(async (response) => {
      if (!response.ok) return null;
      const { login } = (await response.json()) as { readonly login: string };
      return login;
    });
    return this.#ownerKnown;
  }

  #call(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.#api}${path}`, {
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

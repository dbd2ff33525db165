import { domainToASCII } from 'node:url';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Mail, MailStore } from '../client.ts';

interface Received extends Mail {
  readonly to: string;
}

/** A mail server on this machine that keeps what it receives. */
export class MailServer implements MailStore {
  /** What comes before it accepts a sender. */
  beforeSender = async (): Promise<void> => {};
  readonly #received: Received[] = [];
  #server: SMTPServer | undefined;
  #port = 0;

  /** Listens, unless it does already: at its previous port, or else at any free one. */
  async started(): Promise<this> {
    if (this.#server) return this;
    const server = new SMTPServer({
      ...{ disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, logger: false },
      onMailFrom: (_, __, done) => void this.beforeSender().then(() => done(), done),
      onData: (stream, { envelope }, done) => {
        const keep = async () => {
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          const message = await PostalMime.parse(Buffer.concat(chunks));
          for (const { address } of envelope.rcptTo) {
            this.#received.unshift({
              to: asciiOf(address),
              from: message.from?.address ?? '',
              subject: message.subject ?? '',
              text: message.text ?? '',
              html: message.html ?? '',
            });
          }
        };
        keep().then(() => done(), done);
      },
    });
    server.on('error', () => {}); // of a client that has gone
    await new Promise<void>((listening) => {
      server.listen(this.#port, '127.0.0.1', listening);
    });
    // It lasts as long as the tests do.
    server.server.unref();
    const address = server.server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
    this.#server = server;
    return this;
  }

  /** Closes it and its connections; what it has received stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    for (const { _socket: socket } of server.connections as Set<{ _socket: { destroy(): void } }>) {
      socket.destroy();
    }
    await new Promise<void>((closed) => server.close(closed));
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  async *sentTo(address: string): AsyncGenerator<Mail> {
    const wanted = asciiOf(address);
    yield* this.#received.filter(({ to }) => to === wanted);
  }
}

/** International domains have two forms. */
function asciiOf(address: string): string {
  const [name = '', domain = ''] = address.split('@');
  return `${name}@${domainToASCII(domain)}`;
}

/** Those of the services that this process has started, by port: they outlive a service that is killed. */
const servers = new Map<string, MailServer>();

/** The mail server of the service on this port. */
export function mailServerOf(port: string): MailServer {
  const server = servers.get(port) ?? new MailServer();
  servers.set(port, server);
  return server;
}

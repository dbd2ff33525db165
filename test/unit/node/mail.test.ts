import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { isMailUrl, smtpSender } from '../../../src/node/mail.ts';
import { mailNotice, terminalSender } from '../../../src/node/terminal.ts';
import { makeTlsIdentity } from '../../support/tinify/certificates.ts';

const { key, certificate: cert } = makeTlsIdentity();
const mail = {
  from: { name: 'Fewer Bytes', email: 'no-reply@img.example' },
  to: 'you@example.org',
  subject: '123456 is your code – Fewer Bytes',
  text: 'Your code: 123456',
  html: '<p>Your code: 123456</p>',
  headers: { 'List-Unsubscribe': '<https://img.example/unsubscribe>' },
};

/** What a server received. */
interface Received {
  readonly text: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly to: readonly string[];
}

const endings: (() => void)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function mailServer(options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  const connections = new Set<string>();
  const server = new SMTPServer({
    ...{ key, cert, authOptional: true, logger: false },
    onConnect: ({ id }, done) => {
      connections.add(id);
      done();
    },
    onAuth: ({ username, password }, _, done) =>
      password === 'p@ss/word'
        ? done(null, { user: username ?? '' })
        : done(new Error('Not with this password.')),
    onData: (stream, { secure, user, envelope: { rcptTo } }, done) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      stream.on('end', () => {
        const to = rcptTo.map(({ address }) => address);
        received.push({ text, isEncrypted: secure, user: user as string | undefined, to });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  endings.push(() => server.close());
  return { port, received, connections };
}

function senderTo(url: string) {
  const sender = smtpSender(url);
  endings.push(() => sender.close());
  return sender;
}

/** The code of the error with which sending fails. */
async function failureOf(url: string): Promise<unknown> {
  const error = await senderTo(url)
    .send(mail)
    .catch((reason: unknown) => reason);
  expect(String(error)).not.toContain('you@example.org');
  return (error as { code?: string }).code;
}

function refusing(responseCode: number, message: string): SMTPServerOptions {
  return { onRcptTo: (_, __, done) => done(Object.assign(new Error(message), { responseCode })) };
}

describe('mails over SMTP', () => {
  it('arrive with both texts and all headers, encrypted by STARTTLS', async () => {
    const { port, received } = await mailServer();
    const { messageId } = await senderTo(`smtp://127.0.0.1:${port}`).send(mail);
    const [one] = received;
    expect(one).toMatchObject({ isEncrypted: true, to: ['you@example.org'] });
    expect(one?.text).toContain(messageId);
    expect(one?.text).toMatch(/^From: Fewer Bytes <no-reply@img\.example>\r$/m);
    expect(one?.text).toMatch(/^List-Unsubscribe: <https:\/\/img\.example\/unsubscribe>\r$/m);
    expect(one?.text).toContain('Content-Type: text/plain');
    expect(one?.text).toContain('Content-Type: text/html');
    expect(one?.text).toContain('Your code: 123456');
  });

  it('go over TLS from the start, and without it where a server on this machine has none', async () => {
    const secure = await mailServer({ secure: true });
    await senderTo(`smtps://127.0.0.1:${secure.port}`).send(mail);
    expect(secure.received[0]?.isEncrypted).toBe(true);
    const plain = await mailServer({ hideSTARTTLS: true });
    await senderTo(`smtp://127.0.0.1:${plain.port}`).send(mail);
    expect(plain.received[0]?.isEncrypted).toBe(false);
  });

  it('are sent with user and password, whose special characters are encoded', async () => {
    const { port, received } = await mailServer({ authOptional: false });
    await senderTo(`smtp://me%40img.example:p%40ss%2Fword@127.0.0.1:${port}`).send(mail);
    expect(received[0]?.user).toBe('me@img.example');
    expect(await failureOf(`smtp://me:wrong@127.0.0.1:${port}`)).toBe('E_AUTHENTICATION');
    expect(await failureOf(`smtp://127.0.0.1:${port}`)).not.toBe('E_RECIPIENT_NOT_ALLOWED');
  });

  it('share connections', async () => {
    const { port, received, connections } = await mailServer();
    const sender = senderTo(`smtp://127.0.0.1:${port}`);
    for (let i = 0; i < 5; i += 1) await sender.send(mail);
    expect(received).toHaveLength(5);
    expect(connections.size).toBe(1);
  });

  it.each([
    [550, '5.1.1 No such user you@example.org', 'E_RECIPIENT_NOT_ALLOWED'],
    [550, '5.1.10 Recipient address has null MX', 'E_RECIPIENT_NOT_ALLOWED'],
    [552, '5.2.2 Mailbox full', 'E_RECIPIENT_NOT_ALLOWED'],
    [550, '5.1.1 The sender was verified, the recipient was not', 'E_RECIPIENT_NOT_ALLOWED'],
    [550, 'No such user sender@relay.example here', 'E_RECIPIENT_NOT_ALLOWED'],
    [554, 'Closed', 'E_RECIPIENT_NOT_ALLOWED'],
    [554, '5.7.1 Relay access denied', 'E_SENDER_NOT_ALLOWED'],
    [550, 'relay not permitted', 'E_SENDER_NOT_ALLOWED'],
    [551, 'we do not relay', 'E_SENDER_NOT_ALLOWED'],
    [553, 'sorry, that is not in my list of allowed rcpthosts', 'E_SENDER_NOT_ALLOWED'],
    [553, 'sorry, not from there (#5.7.1)', 'E_SENDER_NOT_ALLOWED'],
    [553, '5.1.7 Bad address syntax', 'E_SENDER_NOT_ALLOWED'],
    [550, '5.1.8 Domain of address not found', 'E_SENDER_NOT_ALLOWED'],
    [550, 'Sender verify failed', 'E_SENDER_NOT_ALLOWED'],
    [550, 'Please authenticate first', 'E_SENDER_NOT_ALLOWED'],
    [530, 'Log in first', 'E_SENDER_NOT_ALLOWED'],
    [503, 'Not now', 'E_SENDER_NOT_ALLOWED'],
    [451, '4.7.1 Try again later', 'E_ENVELOPE'],
  ])(
    'fail with a code if the server answers the recipient with %i %s: %s',
    async (status, message, code) => {
      const { port } = await mailServer(refusing(status, message));
      expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe(code);
    },
  );

  it.each([
    [530, 'Log in first', 'E_SENDER_NOT_ALLOWED'],
    [550, '5.1.1 No such user', 'E_SENDER_NOT_ALLOWED'],
    [451, 'Try again later', 'E_ENVELOPE'],
  ])(
    'fail with a code if the server answers the sender with %i %s: %s',
    async (responseCode, message, code) => {
      const { port } = await mailServer({
        onMailFrom: (_, __, done) => done(Object.assign(new Error(message), { responseCode })),
      });
      expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe(code);
    },
  );

  it('fail with a code if the content is refused', async () => {
    const { port } = await mailServer({
      onData: (stream, _, done) => {
        stream.resume();
        stream.on('end', () => done(Object.assign(new Error('Spam'), { responseCode: 554 })));
      },
    });
    expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe('E_MESSAGE_REFUSED');
  });

  it('fail with a code if nobody is there', async () => {
    const { port } = await mailServer();
    for (const end of endings.splice(0)) end();
    expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe('E_CONNECTION');
  });

  it('fail with a code if the server says nothing', { tags: 'slow', timeout: 20_000 }, async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    endings.push(() => silent.close());
    const { port } = silent.address() as AddressInfo;
    expect(await failureOf(`smtp://127.0.0.1:${port}`)).toBe('E_TIMEOUT');
  });

  it('fail in time if the server is slow, also those that wait for a connection, and do not arrive later', {
    tags: 'slow',
    timeout: 40_000,
  }, async () => {
    const { port, received } = await mailServer({
      onMailFrom: (_, __, done) => void setTimeout(done, 9000),
      onRcptTo: (_, __, done) => void setTimeout(done, 9000),
    });
    const sender = senderTo(`smtp://127.0.0.1:${port}`);
    const started = performance.now();
    const mails = await Promise.allSettled(Array.from({ length: 5 }, () => sender.send(mail)));
    expect(performance.now() - started).toBeLessThan(15_000);
    const failed = { status: 'rejected', reason: expect.objectContaining({ code: 'E_TIMEOUT' }) };
    expect(mails).toEqual(mails.map(() => failed));
    await sleep(10_000);
    expect(received).toEqual([]);
  });
});

it('mails are shown in the terminal when there is no server', async () => {
  let shown = '';
  const sender = terminalSender((text) => {
    shown += text;
  });
  await sender.send(mail);
  expect(shown).toContain('Mail to you@example.org\nSubject: 123456 is your code');
});

it.each([
  ['', 'codes@gmail.com', /MAIL_URL is not set/],
  ['smtp://127.0.0.1', 'no-reply@example.com', /MAIL_FROM is still an example/],
  ['smtp://127.0.0.1', 'no-reply@example.community', null],
])('a start with mails by "%s" from %s tells the operator: %s', (url, from, told) => {
  const notice = mailNotice(url, from);
  if (told === null) expect(notice).toBeNull();
  else expect(notice).toMatch(told);
});

it.each([
  ['smtp://127.0.0.1', true],
  ['smtps://me:secret@mail.example:465', true],
  ['smtps://me:secret@mail.example:465/', true],
  ['http://mail.example', false],
  ['mail.example', false],
  ['smtp://', false],
  ['smtp://mail.example/?pool=true', false],
  ['smtp://me:50%25@mail.example', true],
  ['smtp://me:50%@mail.example', false],
  ['smtps://me:2024#x@mail.example', false],
  ['smtps://mail.example#', false],
])('whether %s is the URL of a mail server: %s', (text, isOne) => {
  expect(isMailUrl(text)).toBe(isOne);
});

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A record of an answer: an address, or the name that the name stands for. */
type NamedRecord = { readonly a: string } | { readonly aaaa: string } | { readonly cname: string };

/** Answers questions for the addresses of names, as the test says. */
export class NameServer {
  readonly #socket = createSocket('udp4');
  /** The answers for each name: the first for the first question for an IPv4 address, and so on; the last one stays. */
  readonly answers = new Map<string, (readonly NamedRecord[])[]>();
  /** The names that were asked for, with the kinds of their records. */
  readonly asked: string[] = [];

  async start(): Promise<string> {
    this.#socket.on('message', (query, { port, address }) => {
      this.#socket.send(this.#answerTo(query), port, address);
    });
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return `127.0.0.1:${(this.#socket.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#socket.close();
  }

  /** A response to a query with one question (RFC 1035 §4.1). */
  #answerTo(query: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(12, at + 5);
    const name = labels.join('.').toLowerCase();
    this.asked.push(`${name} ${type === types.a ? 'A' : type === types.aaaa ? 'AAAA' : type}`);
    const records = this.#recordsOf(name, type);
    const [isKnown, noSuchName] = [records !== null, 3];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // A response, with recursion as desired and available.
    header.writeUInt16BE(0x8180 | (isKnown ? 0 : noSuchName), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records?.length ?? 0, 6);
    return Buffer.concat([header, question, ...(records ?? [])]);
  }

  #recordsOf(name: string, type: number): Buffer[] | null {
    const answers = this.answers.get(name);
    const records = answers?.[0];
    if (!answers || !records) return null;
    if (type === types.a && answers.length > 1) answers.shift();
    let owner = name;
    return records.flatMap((record) => {
      if ('cname' in record) {
        const encoded = recordOf(owner, types.cname, nameOf(record.cname));
        owner = record.cname;
        return [encoded];
      }
      const [kind, text] = 'a' in record ? [types.a, record.a] : [types.aaaa, record.aaaa];
      if (kind !== type) return [];
      return [recordOf(owner, kind, Buffer.from(ipaddr.parse(text).toByteArray()))];
    });
  }
}

const types = { a: 1, cname: 5, aaaa: 28 };

/** Without a time to live, so that nobody keeps it. */
function recordOf(name: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameOf(name), fields, data]);
}

function nameOf(name: string): Buffer {
  const labels = name.split('.').map((label) => `${String.fromCharCode(label.length)}${label}`);
  return Buffer.from(`${labels.join('')}\0`, 'latin1');
}

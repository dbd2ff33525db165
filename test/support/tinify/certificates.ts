import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The identity of a TLS server, and its authority; all in PEM. */
export interface TlsIdentity {
  readonly key: string;
  readonly certificate: string;
  /** The certificate that clients have to trust. */
  readonly authority: string;
}

/**
 * Creates a certificate for `localhost`, valid for a day, under its own authority. Node can sign but cannot create
 * X.509 certificates; the required part is smaller than any package for them.
 */
export function makeTlsIdentity(): TlsIdentity {
  const [authority, server] = [makeKeys(), makeKeys()];
  const authorityName = nameOf('Authority of a test');
  const authorityId = keyIdOf(authority.publicKey);
  const signedBy = { issuer: authorityName, issuerKey: authority.privateKey };
  const authorityCertificate = makeCertificate({
    ...signedBy,
    subject: authorityName,
    subjectKey: authority.publicKey,
    extensions: [
      extension(oids.basicConstraints, true, der(tags.sequence, Buffer.of(tags.boolean, 1, 0xff))),
      // keyCertSign
      extension(oids.keyUsage, true, Buffer.of(tags.bitString, 2, 2, 0b100)),
      extension(oids.subjectKeyIdentifier, false, der(tags.octetString, authorityId)),
    ],
  });
  const certificate = makeCertificate({
    ...signedBy,
    subject: nameOf('localhost'),
    subjectKey: server.publicKey,
    extensions: [
      extension(oids.basicConstraints, true, der(tags.sequence)),
      // digitalSignature
      extension(oids.keyUsage, true, Buffer.of(tags.bitString, 2, 7, 0b10000000)),
      extension(oids.authorityKeyIdentifier, false, der(tags.sequence, der(0x80, authorityId))),
      extension(
        oids.subjectAltName,
        false,
        // dNSName and iPAddress
        der(tags.sequence, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1))),
      ),
    ],
  });
  return {
    key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: pem(certificate),
    authority: pem(authorityCertificate),
  };
}

function makeKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** Tags of DER (ITU-T X.690 §8). */
const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Object identifiers in DER (RFC 5280 §4.2.1, RFC 5758 §3.2). */
const oids = {
  commonName: '550403',
  subjectKeyIdentifier: '551d0e',
  keyUsage: '551d0f',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
  authorityKeyIdentifier: '551d23',
  ecdsaWithSha256: '2a8648ce3d040302',
} as const;

interface CertificateFields {
  readonly issuer: Buffer;
  readonly issuerKey: KeyObject;
  readonly subject: Buffer;
  readonly subjectKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** A certificate of version 3 (RFC 5280 §4.1). */
function makeCertificate(fields: CertificateFields): Buffer {
  const { issuer, issuerKey, subject, subjectKey, extensions } = fields;
  const hour = 3_600_000;
  const algorithm = der(tags.sequence, oid(oids.ecdsaWithSha256));
  const serial = randomBytes(8);
  // Makes it positive, and in minimal encoding.
  serial[0] = 0x40;
  const toBeSigned = der(
    tags.sequence,
    der(0xa0, der(tags.integer, Buffer.of(2))),
    der(tags.integer, serial),
    algorithm,
    issuer,
    der(tags.sequence, timeOf(Date.now() - hour), timeOf(Date.now() + 24 * hour)),
    subject,
    subjectKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tags.sequence, ...extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  return der(
    tags.sequence,
    toBeSigned,
    algorithm,
    der(tags.bitString, Buffer.concat([Buffer.of(0), signature])),
  );
}

/** The identifier of a public key: a hash of its bits, without their encoding (RFC 5280 §4.2.1.2). */
function keyIdOf(key: KeyObject): Buffer {
  const pointBytes = 65;
  const bits = key.export({ type: 'spki', format: 'der' }).subarray(-pointBytes);
  return createHash('sha1').update(bits).digest();
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [Buffer.of(tags.boolean, 1, 0xff)] : [];
  return der(tags.sequence, oid(id), ...critical, der(tags.octetString, value));
}

function nameOf(text: string): Buffer {
  const attribute = der(
    tags.sequence,
    oid(oids.commonName),
    der(tags.utf8String, Buffer.from(text)),
  );
  return der(tags.sequence, der(tags.set, attribute));
}

function timeOf(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\.\d+|\D/g, '');
  return der(tags.utcTime, Buffer.from(`${digits.slice(2)}Z`));
}

function oid(hex: string): Buffer {
  return der(tags.oid, Buffer.from(hex, 'hex'));
}

/** A value with its tag and its length, which is less than 64 KiB. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const lengthBytes =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...lengthBytes), value]);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

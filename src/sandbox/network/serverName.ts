/**
 * Reads the host that a TLS client names in its first message (SNI), so that a tunnel to one host cannot request
 * another at the same address. Sources: RFC 8446, 4.1.2 (ClientHello), RFC 6066, 3 (server_name), draft-ietf-tls-esni
 * (ECH). Pure.
 */

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;
const HOST_NAME = 0;

type AskedHost =
  /** In lower case, without a trailing dot. */
  | { readonly type: 'name'; readonly name: string }
  /** A complete message that names no host. */
  | { readonly type: 'none' }
  /** Truncated, damaged, ambiguous, or with an encrypted name: it is unknown how a server would read it. */
  | { readonly type: 'unclear' };

/** `record`: the first record of a connection, header included. */
export function readServerName(record: Buffer): AskedHost {
  try {
    return hostIn(record);
  } catch {
    // The message is truncated.
    return { type: 'unclear' };
  }
}

function hostIn(record: Buffer): AskedHost {
  const unclear: AskedHost = { type: 'unclear' };
  const isHello = record[0] === HANDSHAKE && record[5] === CLIENT_HELLO;
  // Skips the record header (5 bytes) and the handshake header (4).
  const length = record.readUIntBE(6, 3);
  if (!isHello || record.readUInt16BE(3) !== 4 + length) return unclear;
  const hello = record.subarray(9, 9 + length);
  if (hello.length < length) return unclear;
  // Skips the version (2 bytes) and the random value (32).
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at); // session id
  at += 2 + hello.readUInt16BE(at); // cipher suites
  at += 1 + hello.readUInt8(at); // compression methods
  if (at === hello.length) return { type: 'none' };
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  const names: string[] = [];
  while (at < end) {
    const type = hello.readUInt16BE(at);
    const extension = hello.subarray(at + 4, at + 4 + hello.readUInt16BE(at + 2));
    if (type === ENCRYPTED_CLIENT_HELLO) return unclear;
    if (type === SERVER_NAME) names.push(onlyName(extension));
    at += 4 + hello.readUInt16BE(at + 2);
  }
  const [name, ...more] = names;
  if (at !== end || end !== hello.length || more.length > 0) return unclear;
  return name === undefined ? { type: 'none' } : { type: 'name', name };
}

/**
 * Parses a server_name extension: length of the list, type of the name, length of the name. Throws unless it contains
 * exactly one.
 */
function onlyName(extension: Buffer): string {
  const length = extension.readUInt16BE(3);
  const isOne = extension.readUInt16BE(0) === 3 + length && extension.length === 5 + length;
  if (!isOne || extension.readUInt8(2) !== HOST_NAME) throw new Error('not one name');
  return extension.toString('latin1', 5).toLowerCase().replace(/\.$/, '');
}

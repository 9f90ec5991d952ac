/**
 * The host that a TLS client names in its first message (SNI), so that a tunnel to one host cannot ask for another
 * behind the same address. Sources: RFC 8446, 4.1.2 (ClientHello), RFC 6066, 3 (server_name). Pure.
 */

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** In lower case; undefined when it is no ClientHello, names no host, or is damaged. */
export function readServerName(record: Buffer): string | undefined {
  try {
    return nameIn(record)?.toLowerCase().replace(/\.$/, '');
  } catch {
    // It ends too soon.
    return undefined;
  }
}

function nameIn(record: Buffer): string | undefined {
  if (record[0] !== HANDSHAKE || record[5] !== CLIENT_HELLO) return undefined;
  // Record header 5, handshake header 4, version 2, random 32.
  let at = 5 + 4 + 2 + 32;
  at += 1 + record.readUInt8(at); // session id
  at += 2 + record.readUInt16BE(at); // cipher suites
  at += 1 + record.readUInt8(at); // compression methods
  const end = at + 2 + record.readUInt16BE(at);
  at += 2;
  while (at < end) {
    const type = record.readUInt16BE(at);
    const length = record.readUInt16BE(at + 2);
    // In the extension: length of the list, type of the name, length of the name.
    if (type === SERVER_NAME && record.readUInt8(at + 6) === HOST_NAME) {
      const [from, to] = [at + 9, at + 9 + record.readUInt16BE(at + 7)];
      return to > record.length ? undefined : record.subarray(from, to).toString('latin1');
    }
    at += 4 + length;
  }
  return undefined;
}

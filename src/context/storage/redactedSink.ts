import type { Redaction } from '../../protocol/redaction.ts';
import type { BlobSink } from '../../protocol/tools.ts';

/**
 * A sink that stores what goes in without its secrets. Bytes are read one to a character, so that output which is no
 * text stays what it is: whatever tells a secret is ASCII.
 */
export function redactedSink(sink: BlobSink, redaction: Redaction): BlobSink {
  const redactor = redaction.open();
  return {
    write(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : asBuffer(chunk);
      const safe = redactor.write(bytes.toString('latin1'));
      if (safe !== '') sink.write(Buffer.from(safe, 'latin1'));
    },
    finish() {
      const rest = redactor.flush();
      if (rest !== '') sink.write(Buffer.from(rest, 'latin1'));
      return sink.finish();
    },
    discard: () => sink.discard(),
  };
}

/** The same for bytes that are all there. */
export function redactedBytes(bytes: Uint8Array, redaction: Redaction): Uint8Array {
  const text = asBuffer(bytes).toString('latin1');
  const safe = redaction.text(text);
  return safe === text ? bytes : Buffer.from(safe, 'latin1');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

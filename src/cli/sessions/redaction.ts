/** Redacts secrets from everything that is stored, if enabled. */
import type { Settings } from '../../config/schema.ts';
import type { Redaction } from '../../context/index.ts';
import { findSecrets } from '../../redact/findSecrets.ts';
import { createRedactor, redact, redactDeep } from '../../redact/redact.ts';

export interface WriteRedaction extends Redaction {
  /** True for content that must not be stored unredacted. */
  holdsSecrets(bytes: Uint8Array): boolean;
}

/** Undefined if `sessions.redactOnWrite` is off. `secrets`: the user's own keys, some of which come up later. */
export function writeRedaction(
  { sessions }: Pick<Settings, 'sessions'>,
  secrets: () => readonly string[],
): WriteRedaction | undefined {
  if (!sessions.redactOnWrite) return undefined;
  const options = () => ({ own: secrets() });
  return {
    text: (text) => redact(text, options()),
    value: (value) => redactDeep(value, options()),
    open: () => createRedactor(options()),
    holdsSecrets: (bytes) => {
      const text = Buffer.from(bytes).toString('latin1');
      // Without its zero bytes, UTF-16 text can be searched as well.
      const plain = text.includes('\0') ? text.replaceAll('\0', '') : '';
      return findSecrets(text, options()).length > 0 || findSecrets(plain, options()).length > 0;
    },
  };
}

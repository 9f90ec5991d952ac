/** Finds a key that was put where an address or a model belongs: those fields are shown as they are typed. Pure. */
import { providerOfKey } from './providers.ts';

/** Whether this is nothing but a key, as somebody pastes one. */
export function isKey(text: string): boolean {
  return beginsAsKey(text) || isOpaque(text);
}

/** The key that a text ends in, and what stands before it: `https://llm.example/v1sk-…`. */
export function strayKey(text: string): { readonly before: string; readonly key: string } | undefined {
  const at = BEGINNING.exec(text)?.index ?? -1;
  if (at === -1) return undefined;
  const key = text.slice(at);
  return beginsAsKey(key) ? { before: text.slice(0, at), key } : undefined;
}

/** Where what may become a key begins, in UTF-16 units: from its first signs on it is not shown. */
export function secretStart(text: string): number | undefined {
  return BEGUN.exec(text)?.index;
}

/** Keys are longer; names of hosts and models that begin like one are mostly not. */
const SHORTEST = 20;

/** The beginnings of keys; in the midst of a word they are none (`task-…`). */
const BEGINNING = /(?<![a-z])(?:sk-|gsk_|xai-|csk-|fw_|nvapi-|hf_|ghp_|github_pat_|AIza)/;

/** Nothing that a key has not follows: a dot, a slash or a colon make it part of an address. */
const BEGUN = new RegExp(`${BEGINNING.source}[\\w-]*$`);

function beginsAsKey(text: string): boolean {
  const isOfSomebody = text.startsWith('sk-') || providerOfKey(text) !== undefined;
  return isOfSomebody && text.length >= SHORTEST && /^[\w-]+$/.test(text) && /\d/.test(text);
}

/**
 * Letters and digits without a word's shape, as providers without a sign of their own give out; with a second part
 * behind a dot (Z.ai), as three of them (a JSON Web Token), or as a UUID. A host of one such label would need a port.
 */
function isOpaque(text: string): boolean {
  if (/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return true;
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return true;
  const [, first = ''] = /^([A-Za-z\d_]{20,})(?:\.[A-Za-z\d]{10,})?$/.exec(text) ?? [];
  return /\d/.test(first) && /[A-Za-z]/.test(first);
}

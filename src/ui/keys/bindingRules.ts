/** Which key may have which action in which context. Pure. */
import { type Action, actions, type KeyContext } from './actions.ts';
import { type DialogContext, listContexts } from './dialogActions.ts';
import { type Binding, defaultKeymap } from './keymap.ts';
import { isText, parseKeys, showKeys } from './notation.ts';

/** One line of the file as a binding, or why there can be none. `wanted`: an action's name, null, or whatever stands there. */
export function readBinding(contextName: string, written: string, wanted: unknown): Binding | string {
  const context = contextName as KeyContext;
  const parsed = parseKeys(written);
  if (parsed.type === 'impossible') return parsed.reason;
  const { keys } = parsed;
  const builtIn = defaultKeymap[context].get(keys);
  // To say what holds anyway is no mistake.
  if (builtIn !== undefined && builtIn.name === wanted) return { context, keys, action: builtIn };
  const reason = reasonAgainstKey(keys, context);
  if (reason !== undefined) return reason;
  if (wanted === null) return { context, keys, action: null };
  if (typeof wanted !== 'string') return 'an action is a name in quotes, or null';
  const action = actions.find(({ name }) => name === wanted);
  if (action === undefined) return `there is no action ${quote(wanted)}; /keys lists them`;
  return reasonAgainstAction(action, keys, context) ?? { context, keys, action };
}

/** Shortened: the file's text goes to the terminal. */
export const quote = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`;

const writing: readonly KeyContext[] = ['Global', 'Chat', 'Autocomplete', 'HistorySearch'];

/** There must always be a way to stop, to leave and to close. */
const fixedKeys: readonly string[] = ['ctrl+c', 'ctrl+d', 'escape'];

/** What begins commands, shell commands and file names is text. */
const signs: readonly string[] = ['/', '!', '@'];

function reasonAgainstKey(keys: string, context: KeyContext): string | undefined {
  const isWriting = writing.includes(context);
  // The transcript scrolls with Ctrl+D.
  const fixed = context === 'Transcript' ? fixedKeys.filter((key) => key !== 'ctrl+d') : fixedKeys;
  if (keys.split(' ').some((key) => fixed.includes(key)))
    return `${showKeys(keys)} is reserved: there must always be a way to interrupt and to quit`;
  if (isWriting && signs.includes(keys))
    return `${keys} begins ${keys === '@' ? 'the name of a file' : 'a command'}`;
  if (!isWriting && keys.includes(' ')) return `${context} has single keys only`;
  if (context === 'Confirmation' && /^\d$/.test(keys)) return 'digits choose numbered answers';
  if (context === 'Form' && isText(keys)) return `${showKeys(keys)} is text there`;
  return undefined;
}

function reasonAgainstAction(action: Action, keys: string, context: KeyContext): string | undefined {
  // In the search and in dialogs what leaves may have more keys than its own.
  if (action.isFixed === true && writing.includes(action.context) && action.context !== 'HistorySearch')
    return `the keys of ${action.name} stay as they are`;
  if (!fits(action, context)) return `${action.name} belongs to ${action.context}`;
  if (approving.includes(action.name) && !isDeliberate(keys))
    return `${action.name} confirms something, so its key must have Ctrl or Alt, or be F1 to F12`;
  return undefined;
}

/** Writing is global but for the popup and the search; what every list can do may have a key in one list. */
function fits(action: Action, context: KeyContext): boolean {
  const both: readonly KeyContext[] = ['Global', 'Chat'];
  if (action.context === context || (both.includes(action.context) && both.includes(context))) return true;
  return action.context === 'Select' && listContexts.includes(context as DialogContext);
}

const approving: readonly string[] = ['confirm:accept', 'confirm:yes', 'confirm:always', 'confirm:sandbox'];

/** No key of those with which one writes, or moves about in what one writes. */
function isDeliberate(keys: string): boolean {
  return /^(?:ctrl|alt)\+/.test(keys) || /^(?:shift\+)?f\d+$/.test(keys);
}

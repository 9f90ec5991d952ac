/** The grammar of vim commands, as far as a line editor needs it: parses keys into a command. Pure. */
import type { Unit } from '../units.ts';

type ParsedVim =
  | { readonly type: 'command'; readonly command: VimCommand }
  | { readonly type: 'incomplete' }
  | { readonly type: 'invalid' };

/** Maximum count; a larger one would only block the program. */
const MAX_COUNT = 10_000;

const motions: ReadonlySet<string> = new Set([
  ...[
    'h',
    'j',
    'k',
    'l',
    'w',
    'b',
    'e',
    'W',
    'B',
    'E',
    '0',
    '^',
    '$',
    '_',
    'G',
    '{',
    '}',
    '%',
    ';',
    ',',
    ' ',
  ],
  ...['gg', 'ge', 'gE', 'g_', 'backspace', '+', '-', '|'],
]);
const finds: ReadonlySet<string> = new Set(['f', 'F', 't', 'T']);
const objects: ReadonlySet<string> = new Set('wWp"\'`()b{}B[]<>'.split(''));
const simple: ReadonlySet<string> = new Set('xXsSDCYpPuJ~oOaAiIvV.'.split(''));
const operators: ReadonlySet<string> = new Set(['d', 'c', 'y', '>', '<']);
/** Operators of the visual modes; they apply to the selection. */
const onSelection: Readonly<Record<string, Operator>> = {
  d: 'd',
  x: 'd',
  X: 'd',
  D: 'd',
  c: 'c',
  s: 'c',
  S: 'c',
  C: 'c',
  y: 'y',
  Y: 'y',
  '>': '>',
  '<': '<',
  '~': '~',
  u: 'u',
  U: 'U',
};

/** Parses the keys of one command. */
export function parseVim(keys: readonly string[], isVisual: boolean): ParsedVim {
  const first = takeCount(keys);
  const [key, ...rest] = first.rest;
  if (key === undefined) return incomplete;
  const count = first.count === undefined ? {} : { count: first.count };
  if (isVisual) {
    const operator = onSelection[key];
    if (operator !== undefined)
      return done({ type: 'operator', operator, target: { type: 'selection' }, ...count });
    if (key === 'i' || key === 'a') return withObject(rest, key, (object) => ({ type: 'select', object }));
    if (['o', 'v', 'V', 'J', 'p', 'P'].includes(key)) return done({ type: 'simple', name: key, ...count });
  } else if (operators.has(key)) return operation(key as Operator, rest, first.count);
  else if (simple.has(key) || key === 'ctrl+r') return done({ type: 'simple', name: key, ...count });
  if (key === 'r') {
    const [character] = rest;
    return character === undefined ? incomplete : done({ type: 'simple', name: 'r', character, ...count });
  }
  return withMotion(first.rest, (motion) => ({ type: 'motion', motion, ...count }));
}

function operation(operator: Operator, keys: readonly string[], before: number | undefined): ParsedVim {
  const { count: after, rest } = takeCount(keys);
  const [key, ...more] = rest;
  const counts = [before, after].filter((one) => one !== undefined);
  const count =
    counts.length === 0
      ? {}
      : {
          count: Math.min(
            MAX_COUNT,
            counts.reduce((product, one) => product * one, 1),
          ),
        };
  if (key === undefined) return incomplete;
  if (key === operator) return done({ type: 'operator', operator, target: { type: 'lines' }, ...count });
  if (key === 'i' || key === 'a')
    return withObject(more, key, (object) => ({
      type: 'operator',
      operator,
      target: { type: 'object', object },
      ...count,
    }));
  return withMotion(rest, (motion) => ({
    type: 'operator',
    operator,
    target: { type: 'motion', motion },
    ...count,
  }));
}

function withMotion(keys: readonly string[], make: (motion: Motion) => VimCommand): ParsedVim {
  const [key = '', next] = keys;
  if (finds.has(key)) return next === undefined ? incomplete : done(make({ name: key, character: next }));
  if (key === 'g') {
    if (next === undefined) return incomplete;
    return motions.has(`g${next}`) ? done(make({ name: `g${next}` })) : invalid;
  }
  return motions.has(key) ? done(make({ name: key })) : invalid;
}

function withObject(
  keys: readonly string[],
  kind: 'i' | 'a',
  make: (object: TextObject) => VimCommand,
): ParsedVim {
  const [name] = keys;
  if (name === undefined) return incomplete;
  return objects.has(name) ? done(make({ isAround: kind === 'a', name })) : invalid;
}

/** A leading zero does not start a count; it is a motion. */
function takeCount(keys: readonly string[]): { readonly count?: number; readonly rest: readonly string[] } {
  let digits = 0;
  while (/^[0-9]$/.test(keys[digits] ?? '') && !(digits === 0 && keys[0] === '0')) digits++;
  if (digits === 0) return { rest: keys };
  return { count: Math.min(MAX_COUNT, Number(keys.slice(0, digits).join(''))), rest: keys.slice(digits) };
}

const done = (command: VimCommand): ParsedVim => ({ type: 'command', command });
const incomplete: ParsedVim = { type: 'incomplete' };
const invalid: ParsedVim = { type: 'invalid' };

type VimMode = 'insert' | 'normal' | 'visual' | 'visual_line';

export type Operator = 'd' | 'c' | 'y' | '>' | '<' | '~' | 'u' | 'U';

/** A motion by its keys: `w`, `gg`, or `f` with its character. */
export interface Motion {
  readonly name: string;
  readonly character?: string;
}

/** A text object: inside (`i`) or around (`a`) something, e.g. `iw`, `a"`, `i(`. */
export interface TextObject {
  readonly isAround: boolean;
  readonly name: string;
}

export type Target =
  | { readonly type: 'motion'; readonly motion: Motion }
  | { readonly type: 'object'; readonly object: TextObject }
  /** A doubled operator: whole lines. */
  | { readonly type: 'lines' }
  | { readonly type: 'selection' };

/** One complete command. `count` is absent if none was typed. */
export type VimCommand =
  | { readonly type: 'motion'; readonly motion: Motion; readonly count?: number }
  | {
      readonly type: 'operator';
      readonly operator: Operator;
      readonly target: Target;
      readonly count?: number;
    }
  /** Selects a text object; only in the visual modes. */
  | { readonly type: 'select'; readonly object: TextObject }
  | { readonly type: 'simple'; readonly name: string; readonly character?: string; readonly count?: number };

/** Deleted or yanked text, which `p` inserts. */
export interface Register {
  readonly units: readonly Unit[];
  readonly isLinewise: boolean;
}

/** A command that changed the text, and the text typed after it; repeated by `.`. */
interface Change {
  readonly command: VimCommand;
  readonly typed: readonly Unit[];
}

/** An insertion that a command started. */
interface Insertion {
  readonly command: VimCommand;
  readonly from: number;
  /** Text, cursor and undo depth before the command: the whole insertion is one undo step. */
  readonly before: { readonly units: readonly Unit[]; readonly cursor: number };
  readonly undoDepth: number;
}

export interface VimState {
  readonly mode: VimMode;
  /** Keys of an incomplete command. */
  readonly keys: readonly string[];
  /** The other end of the selection. */
  readonly anchor: number;
  readonly register: Register;
  /** The find command that `;` and `,` repeat. */
  readonly find?: Motion | undefined;
  readonly change?: Change | undefined;
  readonly insertion?: Insertion | undefined;
}

/** Starts in insert mode, like any other editor. */
export const startVim: VimState = {
  mode: 'insert',
  keys: [],
  anchor: 0,
  register: { units: [], isLinewise: false },
};

/**
 * Ctrl+O: the transcript view on the alternate screen. It reads the terminal itself while it is open; the agent keeps
 * working, and its output appears here.
 */
import type { Agent } from '../../agent/types.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { LiveTool } from '../controller/view.ts';
import { type DialogFocusAction, defaultKeymap, type Keymap, readDialogKey } from '../keys/keymap.ts';
import type { Stroke } from '../keys/strokes.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { renderToolLine } from '../print/toolLine.ts';
import type { Theme } from '../theme/theme.ts';
import { block, type Part, textParts } from './parts.ts';
import { cursorField, type SearchField, typeInto } from './search.ts';
import { Transcript } from './Transcript.ts';
import {
  createOriginalReader,
  createReplyParts,
  type LiveReply,
  type ReadBlob,
} from './transcriptDocument.ts';
import { ESCAPE_WAIT_MS, meaningsOf, readKeys, statusRow, transcriptFocus } from './transcriptKeys.ts';

interface TranscriptOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly agent: Agent;
  /** The entries in memory, oldest first and without gaps. */
  readonly entries: readonly JSONLEntry[];
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  readonly reply: () => LiveReply;
  readonly tools: () => readonly LiveTool[];
  readonly readBlob: ReadBlob;
  readonly now: () => number;
  /** The user's current keys; the built-in ones by default. */
  readonly keymap?: (() => Keymap) | undefined;
}

/** Milliseconds between two frames during streaming. */
const FRAME_MS = 33;
/** Older entries loaded at a time. */
const PAGE = 200;

/** Resolves when the view is closed. Nothing else may use the terminal until then: see `ScreenPorts.suspend`. */
export async function openTranscript(options: TranscriptOptions): Promise<void> {
  const { stdin, stdout, agent, theme, markdown, now, keymap = () => defaultKeymap } = options;
  const columns = (): number => stdout.columns || 80;
  const rows = (): number => stdout.rows || 24;
  const size = () => ({ width: columns(), height: Math.max(1, rows() - 1), theme, markdown });
  const read = createOriginalReader(options.readBlob);
  const replyParts = createReplyParts();
  const screen = enterFullScreen((text) => void stdout.write(text));
  let isLive = true;
  let hasLeft = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnAt = 0;

  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    drawnAt = now();
    if (isLive) transcript.setLive([...replyParts(options.reply()), ...toolParts(options.tools())]);
    isLive = agent.state().busy;
    const text = transcript.rows();
    const { width, height } = size();
    const body = Array.from({ length: height }, (_, y) => text[y] ?? '');
    const field = keys.field();
    if (field !== undefined) {
      const { row, x } = cursorField(field, width, theme);
      screen.draw({ rows: [...body, row], cursor: { x, y: height } });
      return;
    }
    const { state } = agent;
    const facts = {
      question: state().questions[0]?.tool,
      message: transcript.message(),
      isBusy: state().busy,
      isAtEnd: transcript.isAtEnd(),
      seq: transcript.topEntry()?.seq,
      lastSeq: lastSeq(),
    };
    screen.draw({ rows: [...body, statusRow(facts, width, theme, keymap())] });
  };
  const soon = (): void => {
    // Pending reads and searches may finish after the view is closed, when the screen is no longer ours.
    if (hasLeft) return;
    timer ??= setTimeout(draw, Math.max(0, FRAME_MS - (now() - drawnAt)));
  };
  const transcript: Transcript = new Transcript(options.entries, size(), {
    older: (seq) => agent.page(seq, PAGE),
    original: read,
    pause: () => new Promise((done) => setImmediate(done)),
    now,
    changed: soon,
  });
  const newest = options.entries.at(-1)?.seq ?? -1;
  const lastSeq = (): number => Math.max(newest, agent.entries().at(-1)?.seq ?? 0);

  const unsubscribe = agent.subscribe((event) => {
    if (event.type === 'entry' && event.entry.seq > newest) transcript.append(event.entry);
    isLive = true;
    soon();
  });

  let leave: () => void = () => undefined;
  const left = new Promise<void>((done) => {
    leave = done;
  });
  const keys = createTranscriptKeys({
    ...{ transcript, keymap, leave: () => leave() },
    page: () => Math.max(1, size().height - 1),
    redraw: screen.forget,
  });

  let pending = '';
  let escapeTimer: ReturnType<typeof setTimeout> | undefined;
  const onData = (chunk: string | Buffer): void => {
    clearTimeout(escapeTimer);
    const found = readKeys(pending + chunk.toString());
    pending = found.rest;
    for (const key of found.keys) keys.press(key);
    if (pending !== '')
      escapeTimer = setTimeout(() => {
        pending = '';
        keys.press({ type: 'key', key: 'escape' });
        draw();
      }, ESCAPE_WAIT_MS);
    draw();
  };
  const onResize = (): void => {
    transcript.resize(size());
    screen.forget();
    soon();
  };

  const reader = readTerminal(stdin, onData);
  stdout.on('resize', onResize);
  draw();
  try {
    await left;
  } finally {
    hasLeft = true;
    transcript.stop();
    unsubscribe();
    clearTimeout(timer);
    clearTimeout(escapeTimer);
    stdout.off('resize', onResize);
    reader.stop();
    screen.leave();
  }
}

interface TranscriptKeyPorts {
  readonly transcript: Transcript;
  readonly keymap: () => Keymap;
  /** Rows to scroll by. */
  readonly page: () => number;
  readonly leave: () => void;
  readonly redraw: () => void;
}

/** What a key does in the transcript; while the search field is open, it gets every key. */
function createTranscriptKeys({ transcript, keymap, page, leave, redraw }: TranscriptKeyPorts): {
  readonly press: (stroke: Stroke) => void;
  readonly field: () => SearchField | undefined;
} {
  let field: SearchField | undefined;
  let direction: 1 | -1 = 1;
  const press = (stroke: Stroke): void => {
    const meanings = meaningsOf(stroke);
    const isBound = (first: Stroke): boolean =>
      readDialogKey(keymap(), first, transcriptFocus).key.type === 'action';
    const bound =
      field === undefined ? meanings.find(([first]) => first !== undefined && isBound(first)) : undefined;
    for (const one of bound ?? meanings.at(-1) ?? []) strike(one);
  };
  /** Text after the character that opens the search goes into the search field. */
  const strike = (stroke: Stroke): void => {
    let left: Stroke | undefined = stroke;
    while (left !== undefined) {
      if (field !== undefined) {
        type(field, left);
        return;
      }
      const { key, rest } = readDialogKey(keymap(), left, transcriptFocus);
      if (key.type === 'action') handlers[key.name]?.();
      left = rest === '' ? undefined : { type: 'text', text: rest };
    }
  };
  const type = (into: SearchField, stroke: Stroke): void => {
    const typed = typeInto(into, stroke);
    field = typed.field;
    direction = typed.direction;
    if (typed.query !== undefined)
      void transcript.search(typed.direction, typed.query === '' ? undefined : typed.query);
  };
  const scroll = (many: number): void => {
    transcript.clearMessage();
    transcript.scroll(many);
  };
  const half = (): number => Math.ceil(page() / 2);
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    'scroll:lineUp': () => scroll(-1),
    'scroll:lineDown': () => scroll(1),
    'scroll:pageUp': () => scroll(-page()),
    'scroll:pageDown': () => scroll(page()),
    'scroll:halfPageUp': () => scroll(-half()),
    'scroll:halfPageDown': () => scroll(half()),
    'scroll:top': () => void transcript.toStart(),
    'scroll:bottom': () => transcript.toEnd(),
    'transcript:search': () => {
      field = { direction: 1, before: '', after: '' };
    },
    'transcript:searchBack': () => {
      field = { direction: -1, before: '', after: '' };
    },
    'transcript:searchNext': () => void transcript.search(direction),
    'transcript:searchPrevious': () => void transcript.search(direction === 1 ? -1 : 1),
    'transcript:previousPrompt': () => void transcript.toPrompt(-1),
    'transcript:nextPrompt': () => void transcript.toPrompt(1),
    'transcript:exit': () => leave(),
    'transcript:cancel': () => {
      if (!transcript.stop()) leave();
    },
    'app:toggleTranscript': () => leave(),
    'app:interrupt': () => leave(),
    'app:redraw': () => redraw(),
  };
  return { press, field: () => field };
}

/** Reads keys until stopped. */
function readTerminal(stdin: NodeJS.ReadStream, onData: (chunk: string | Buffer) => void): { stop(): void } {
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stdin.on('data', onData);
  stdin.resume();
  // The previous reader called `unref`, and nothing else may be keeping the process alive.
  stdin.ref();
  return {
    stop() {
      stdin.off('data', onData);
      stdin.pause();
      stdin.setRawMode(false);
    },
  };
}

function toolParts(tools: readonly LiveTool[]): Part[] {
  return tools.flatMap(({ tool, title, output }) => [
    block(({ width, theme }) => renderToolLine({ tool, title, status: 'running' }, width, theme)),
    ...textParts(output, { mark: '  ⎿ ', paint: 'dim' }),
  ]);
}

/**
 * The content of the alternate screen. Only changed rows are written; the normal screen and the scrollback stay intact.
 */
interface Frame {
  readonly rows: readonly string[];
  /** Zero-based; absent = hidden. */
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

interface FullScreen {
  draw(frame: Frame): void;
  /** Redraws everything next time: after a resize, or after other output. */
  forget(): void;
  leave(): void;
}

// Disables wrapping on the alternate screen: a character that the terminal draws wider than we measured must not push
// rows down.
const ENTER = '\u001B[?1049h\u001B[?7l\u001B[?25l\u001B[H\u001B[J';
const LEAVE = '\u001B[?7h\u001B[?25h\u001B[?1049l';
const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';

function enterFullScreen(write: (text: string) => void): FullScreen {
  let shown: readonly string[] = [];
  let shownCursor: Frame['cursor'];
  let isFresh = true;
  write(ENTER);
  return {
    draw({ rows, cursor }) {
      // Rows beyond the height of a terminal that has shrunk would overwrite its last row.
      const changed = Array.from(
        { length: isFresh ? rows.length : Math.max(rows.length, shown.length) },
        (_, y) => {
          const row = rows[y] ?? '';
          if (!isFresh && row === (shown[y] ?? '')) return '';
          return `\u001B[${y + 1};1H\u001B[0m\u001B[2K${row}\u001B[0m`;
        },
      ).join('');
      const isMoved = cursor?.x !== shownCursor?.x || cursor?.y !== shownCursor?.y;
      shown = rows;
      shownCursor = cursor;
      if (changed === '' && !isMoved && !isFresh) return;
      const place =
        cursor === undefined ? '\u001B[?25l' : `\u001B[${cursor.y + 1};${cursor.x + 1}H\u001B[?25h`;
      write(`${BEGIN}${isFresh ? '\u001B[H\u001B[J' : ''}${changed}${place}${END}`);
      isFresh = false;
    },
    forget() {
      isFresh = true;
    },
    leave: () => write(LEAVE),
  };
}

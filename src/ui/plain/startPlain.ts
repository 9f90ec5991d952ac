/**
 * Plain mode: a conversation without redraws, for screen readers, dumb terminals and pipes. Uses the same controller as
 * the full screen; what that would draw is printed once, in words, and the user answers with lines of text.
 */
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import { createController } from '../controller/controller.ts';
import { FRAME_MS } from '../controller/sessionStore.ts';
import type { ScreenPorts, Snapshot } from '../controller/types.ts';
import { formTitle } from '../dialog/permission.ts';
import { createHistoryFile } from '../input/history.ts';
import { keyIn } from '../onboarding/accessForm.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import type { UiExit, UiOptions } from '../types.ts';
import { announce, noAnnouncements } from './announce.ts';
import { asciiSymbols } from './asciiSymbols.ts';
import type { Dialogue, DialoguePorts } from './askDialog.ts';
import { askForm } from './askForm.ts';
import { permission } from './askPermission.ts';
import { askPhase } from './askPhase.ts';
import { quoted, type Room, rowsOf } from './foreignText.ts';
import { createLineReader, type LineReader } from './lineReader.ts';
import { loadPlainMarkdown, splitPlain } from './plainMarkdown.ts';
import { createPlainPrinter } from './plainPrinter.ts';

interface LinearOptions extends Omit<UiOptions, 'takeOver'> {
  readonly version: string;
  /** The working directory in display form. */
  readonly directory: string;
  /** True if both streams are terminals; otherwise lines come from a pipe and are not echoed. */
  readonly isTerminal: boolean;
  /** True if the terminal can move its cursor; used only for editing the input line. */
  readonly isEditing: boolean;
  /** False if the terminal cannot show characters beyond ASCII. */
  readonly isUtf8: boolean;
  /** Calls the listener for each Ctrl+C that arrives as a signal. */
  readonly onInterrupt: (listener: () => void) => void;
}

/** Milliseconds between checks for long-running work. */
const POLL_MS = 1000;

/** Milliseconds after a question during which a line cannot be an answer to it yet. */
const UNHEARD_MS = 300;

/** Resolves when the user quits. */
export async function startPlain(options: LinearOptions): Promise<UiExit> {
  let exit: UiExit = { sessionId: undefined, empty: true, code: 0 };
  const [words, history] = await Promise.all([loadPlainMarkdown(), loadHistory(options)]);
  const controller = createController({ ...options, takeOver: () => ({ draft: '', rest: '' }) }, (how) => {
    exit = how;
  });
  const echoed = new Set<string>();
  const heard = new Set<string>();
  let announced = noAnnouncements;
  let asked: Dialogue | undefined;
  let reportedAt = 0;
  let shown: Shown = {};
  /** True once the input has ended; work already requested is still finished. */
  let isEnding = false;

  const room = (): Room => ({ columns: options.stdout.columns || 80, isUtf8: options.isUtf8 });
  const write = (text: string): void => {
    const draft = reader.draft();
    const plain = options.isUtf8 ? text : asciiSymbols(text);
    options.stdout.write(draft === '' ? plain : `\n${plain}${draft}`);
  };
  const tell = (...lines: readonly string[]): void => {
    const rows = lines.flatMap((line) => rowsOf(line, room()));
    if (rows.length > 0) write(`${rows.join('\n')}\n`);
  };
  const ask = (dialogue: Dialogue | undefined): void => {
    asked = dialogue;
    reader.hide(dialogue?.isSecret === true);
    tell(...(dialogue?.tell ?? []));
    // A long preview has been written by now, but lines typed meanwhile arrive next.
    reportedAt = options.now();
    // No more input can answer it.
    if (isEnding) dialogue?.cancel();
  };
  const ports: DialoguePorts = { controller, ask, tell, showsAnswers: options.isTerminal, now: options.now };

  const onBlock = (text: string): void => {
    const dialogue = asked;
    if (dialogue !== undefined) {
      const reply = dialogue.answer(text.trim(), options.now() - reportedAt >= UNHEARD_MS);
      if (reply === undefined && asked === dialogue) ask(undefined);
      else if (reply !== undefined && reply !== '') tell(reply);
      return;
    }
    if (text.trim() === '') return;
    const agent = controller.snapshot().session?.agent;
    if (options.isTerminal && agent?.state().busy !== true) echoed.add(text.trim());
    if (options.isTerminal) void historyFile.add(text);
    controller.submit({ text, display: text });
  };
  const onInterrupt = (): void => {
    const hadDraft = reader.draft() !== '';
    reader.clear();
    if (options.isTerminal) options.stdout.write('\n');
    const dialogue = asked;
    if (dialogue === undefined) controller.intent('clear_or_exit', { empty: !hadDraft });
    else {
      ask(undefined);
      dialogue.cancel();
    }
  };
  const onEnd = (): void => {
    isEnding = true;
    const dialogue = asked;
    asked = undefined;
    dialogue?.cancel();
    if (options.isTerminal) controller.leave();
    else update();
  };

  const dialogueOf = (question: PermissionQuestion): Dialogue =>
    questionDialogue(question, { words, ask, onAnswer: (answer) => controller.answer(question.id, answer) });
  /** Prints what has changed. Runs after other output of the same frame, so that the order is right. */
  const update = (): void => {
    const snapshot = controller.snapshot();
    if (snapshot.session !== shown.session) announced = noAnnouncements;
    const now = options.now();
    const news = announce(announced, snapshot.view, now);
    announced = news.announced;
    tell(...news.lines);
    const question = snapshot.view.questions[0];
    const before = shown;
    shown = { phase: snapshot.phase, question: question?.id, session: snapshot.session, hint: snapshot.hint };
    if (snapshot.hint !== undefined && snapshot.hint !== before.hint) tell(snapshot.hint);
    const isInSession = snapshot.phase.type === 'session';
    if (snapshot.phase !== before.phase && !isInSession) {
      asked = undefined;
      askPhase(snapshot, ports);
    } else if (isInSession && (question?.id !== before.question || snapshot.phase !== before.phase)) {
      if (question?.callId !== undefined) heard.add(question.callId);
      ask(question && dialogueOf(question));
    }
    if (isQuietLong(snapshot, isEnding)) controller.leave();
  };
  const isQuietLong = createQuietWatch(options.now);

  const historyFile = createHistoryFile(options.historyFile, options.historyText);
  const reader = createLineReader({
    input: options.stdin,
    output: options.stdout,
    isTerminal: options.isTerminal,
    isEditing: options.isEditing,
    history,
    isSecret: (line) => asked !== undefined && keyIn(line) !== undefined,
    onBlock,
    onInterrupt,
    onEnd,
  });
  options.onInterrupt(onInterrupt);
  tell(`ClawdCode ${options.version} in ${options.directory}`);
  if (options.isTerminal) write(HOW_TO_TYPE);
  return new Promise((resolve) => {
    const poll = setInterval(update, options.isTerminal ? POLL_MS : 2 * FRAME_MS);
    controller.subscribe(() => {
      if (controller.snapshot().phase.type !== 'leaving') return queueMicrotask(update);
      clearInterval(poll);
      reader.close();
      resolve(exit);
    });
    controller.begin(plainScreen({ write, tell, room, reader, words, echoed, heard }));
  });
}

/** The last printed state. */
interface Shown {
  readonly phase?: Snapshot['phase'];
  readonly question?: string | undefined;
  readonly session?: Snapshot['session'];
  readonly hint?: string | undefined;
}

interface PlainScreen {
  readonly write: (text: string) => void;
  readonly tell: (...lines: readonly string[]) => void;
  readonly room: () => Room;
  readonly reader: LineReader;
  readonly words: MarkdownRenderer;
  /** Prompts that the terminal has echoed, and calls that a question has read out: neither is printed again. */
  readonly echoed: Set<string>;
  readonly heard: Set<string>;
}

/** The screen as the controller knows it. */
function plainScreen({ write, tell, room, reader, words, echoed, heard }: PlainScreen): ScreenPorts {
  const returnText = (text: string): void => {
    if (!reader.insert(text)) tell('Returned, not sent:', ...quoted(text), 'End of returned text.');
  };
  return {
    write,
    columns: () => 80,
    // Nothing is redrawn: a reply is printed piece by piece as it is finished.
    liveRows: () => 0,
    composer: () => ({
      text: () => reader.draft(),
      setText: returnText,
      prependText: returnText,
      clear: () => reader.clear(),
    }),
    suspend: (run) => run(),
    plain: {
      split: splitPlain,
      createPrinter: (printer) =>
        createPlainPrinter({
          ...printer,
          room,
          words,
          isEchoed: (text) => echoed.delete(text.trim()),
          isHeard: (id) => heard.delete(id),
        }),
    },
  };
}

interface QuestionPorts {
  readonly words: MarkdownRenderer;
  readonly ask: (dialogue: Dialogue | undefined) => void;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

function questionDialogue(question: PermissionQuestion, { words, ask, onAnswer }: QuestionPorts): Dialogue {
  const { preview } = question;
  return preview.type === 'form'
    ? askForm(preview, formTitle(question), { ask, onAnswer })
    : permission(question, { words, onAnswer });
}

/** True once the input has ended and nothing has been running for some frames. */
function createQuietWatch(now: () => number): (snapshot: Snapshot, isEnding: boolean) => boolean {
  let quietSince = 0;
  return ({ session, view, phase }, isEnding) => {
    const isQuiet = phase.type === 'session' && session?.agent.state().busy === false && !view.busy;
    if (!isEnding || !isQuiet || view.queue.length > 0) quietSince = 0;
    else if (quietSince === 0) quietSince = now();
    else return now() - quietSince > 4 * FRAME_MS;
    return false;
  };
}

const HOW_TO_TYPE =
  'Type what to do and press Enter. A backslash at the end of a line continues on the next. /help lists commands, Ctrl+C interrupts, Ctrl+D quits.\n';

/** Earlier single-line prompts, newest first. */
async function loadHistory({
  historyFile,
  isEditing,
  isTerminal,
}: LinearOptions): Promise<readonly string[]> {
  if (!isEditing || !isTerminal) return [];
  const entries = await createHistoryFile(historyFile).load();
  return entries.filter((text) => !text.includes('\n')).toReversed();
}

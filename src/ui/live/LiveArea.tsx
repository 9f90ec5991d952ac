/**
 * Unfinished output between the scrollback and the composer: the rest of the reply, running calls, the spinner, the
 * todo list, queued messages, the open question. Never taller than the rows it is given.
 */
import { Box, Text, useAnimation } from 'ink';
import { type ComponentProps, type ComponentType, memo, useEffect, useMemo, useRef, useState } from 'react';
import type { Todo } from '../../protocol/entries/fields.ts';
import type { SubagentStatus } from '../../protocol/extensions/subagents.ts';
import type { PromptOp } from '../../protocol/ops.ts';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { agentToolName, toolNames } from '../../protocol/toolNames.ts';
import type { Snapshot } from '../controller/types.ts';
import { activityOf, type LiveTool, type View } from '../controller/view.ts';
import { Lines } from '../dialog/Lines.tsx';
import { PermissionDialog } from '../dialog/PermissionDialog.tsx';
import { formTitle } from '../dialog/permission.ts';
import type { FormDialogProps } from '../form/FormDialog.tsx';
import { formatDuration } from '../print/numbers.ts';
import { sanitize, sanitizeLine, shownLine } from '../print/sanitize.ts';
import { liveTail } from '../print/streaming.ts';
import { renderTodos, todoRows } from '../print/todos.ts';
import { renderReads, renderToolLine } from '../print/toolLine.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { RetryNotice, Spinner } from './Spinner.tsx';

interface LiveAreaProps {
  readonly snapshot: Snapshot;
  readonly columns: number;
  /** Rows available. */
  readonly rows: number;
  /** Rows of these for the unfinished reply. */
  readonly liveRows: number;
  readonly onAnswer: (id: string, answer: PermissionAnswer) => void;
  /** See `PermissionDialog`. */
  readonly onUnmeant?: (text: string) => void;
  /** Loaded with the other dialogs, before a session is open. */
  readonly FormDialog?: ComponentType<FormDialogProps> | undefined;
  readonly now: () => number;
  /** The key that moves a command to the background, if there is one. */
  readonly backgroundKey?: string | undefined;
  /** The key that returns the newest queued message to an empty composer, if there is one. */
  readonly editQueuedKey?: string | undefined;
}

/** Maximum rows of queued messages. */
const QUEUE_ROWS = 3;
/** Maximum rows of a retry notice; its reason can be long on a narrow screen. */
const RETRY_ROWS = 10;

export function LiveArea(props: LiveAreaProps) {
  const { snapshot, columns, rows, liveRows, onAnswer, onUnmeant, now } = props;
  const { backgroundKey, editQueuedKey, FormDialog } = props;
  const { view, theme, session, preferences, markdown, todoView } = snapshot;
  // Memoized: the spinner alone draws ten frames a second, and Markdown may take longer than a frame.
  const tail = useMemo(
    () =>
      view.tail === '' ? [] : markdown(liveTail(view.tail, liveRows), { width: columns, theme }).split('\n'),
    [view.tail, liveRows, markdown, columns, theme],
  );
  const question = view.questions[0];
  if (question !== undefined) {
    return (
      <Box flexDirection="column" marginBottom={1}>
        <QuestionDialog
          key={question.id}
          FormDialog={FormDialog}
          question={question}
          width={columns}
          rows={rows - 1}
          theme={theme}
          markdown={markdown}
          onAnswer={(answer) => onAnswer(question.id, answer)}
          onUnmeant={onUnmeant}
        />
      </Box>
    );
  }
  const todos = session?.agent.state().todos ?? [];
  const room = Math.max(0, rows - Math.min(tail.length, liveRows) - (view.reads.length === 0 ? 4 : 5));
  const idle = !view.busy && view.queue.length === 0;
  const listRows = todoRows(todoView, todos, { isBusy: view.busy, room });
  if (idle && tail.length === 0 && listRows === 0) return null;
  const command = view.tools.find(({ tool }) => tool === toolNames.bash)?.callId;
  return (
    <Box flexDirection="column">
      {tail.length > 0 && (
        <Box marginBottom={1}>
          <Text wrap="truncate">{tail.slice(-liveRows).join('\n')}</Text>
        </Box>
      )}
      {view.reads.length > 0 && <Text wrap="truncate">{renderReads(view.reads, columns, theme)}</Text>}
      <LiveTools
        tools={view.tools}
        width={columns}
        rows={Math.floor(room / 2)}
        theme={theme}
        now={now}
        isStill={preferences.reducedMotion}
      />
      {room > 4 && backgroundKey !== undefined && (
        <BackgroundHint
          shortcut={backgroundKey}
          callId={command}
          canMove={() => session?.agent.state().canBackground === true}
          width={columns}
          theme={theme}
        />
      )}
      {view.retry !== undefined && (
        <RetryNotice
          {...view.retry}
          width={columns}
          rows={Math.max(3, Math.min(RETRY_ROWS, room - listRows - Math.min(QUEUE_ROWS, view.queue.length)))}
          theme={theme}
          reducedMotion={preferences.reducedMotion}
          now={now}
        />
      )}
      {view.busy && view.startedAt !== undefined && (
        <Spinner
          verb={activityOf(view, session?.agent.state().model.id)}
          startedAt={view.startedAt}
          tokens={Math.round(view.streamedLength / 4)}
          hint={waitsForSummary(view) ? 'esc to shorten older steps instead' : undefined}
          width={columns}
          theme={theme}
          reducedMotion={preferences.reducedMotion}
          now={now}
        />
      )}
      {listRows > 0 && <TodoList todos={todos} width={columns} rows={listRows} theme={theme} />}
      <QueueView
        queue={view.queue}
        width={columns}
        rows={Math.min(QUEUE_ROWS, room)}
        theme={theme}
        editQueuedKey={editQueuedKey}
      />
      <Text> </Text>
    </Box>
  );
}

interface QuestionDialogProps extends ComponentProps<typeof PermissionDialog> {
  readonly FormDialog: ComponentType<FormDialogProps> | undefined;
}

/** Forms have their own dialog; every other question is a permission request. */
function QuestionDialog({ FormDialog, ...props }: QuestionDialogProps) {
  const { question, width, rows, theme, onAnswer, onUnmeant } = props;
  const { preview } = question;
  if (preview.type !== 'form') return <PermissionDialog {...props} />;
  const room = { width, rows, theme };
  return (
    FormDialog && (
      <FormDialog
        {...{ ...room, onAnswer, onUnmeant }}
        id={question.id}
        title={formTitle(question)}
        form={preview}
      />
    )
  );
}

/**
 * True while the turn waits for a summary: Esc cancels the summary, and the turn continues. Happens on a local server,
 * or with drafts switched off.
 */
function waitsForSummary({ inTurn, compacting }: View): boolean {
  return inTurn && compacting?.trigger === 'auto';
}

/** A running call with the end of its output. */
type RunningTool = Omit<LiveTool, 'startedAt'>;

interface LiveToolsProps {
  readonly tools: readonly RunningTool[];
  readonly width: number;
  /** Rows available for all of them. */
  readonly rows: number;
  readonly theme: Theme;
  readonly now: () => number;
  /** Shows no durations that count up. */
  readonly isStill: boolean;
}

/** One line per running call, with the last lines of its output if there is room. */
const LiveTools = memo(function LiveTools(props: LiveToolsProps) {
  const { tools, width, rows, theme, isStill } = props;
  const hasSubagents = tools.some(({ subagent }) => subagent !== undefined);
  if (hasSubagents && !isStill) return <TickingTools {...props} />;
  return <Lines lines={liveToolLines(tools, width, rows, theme)} />;
});

/** Subagents take minutes, so the elapsed time of each is shown. */
function TickingTools({ tools, width, rows, theme, now }: LiveToolsProps) {
  useAnimation({ interval: 1000 });
  return <Lines lines={liveToolLines(tools, width, rows, theme, now())} />;
}

const outputRows = 3;

/** At most `rows` lines: the calls come first; the rest is divided evenly among their outputs. Without `now`, no times. */
export function liveToolLines(
  tools: readonly RunningTool[],
  width: number,
  rows: number,
  theme: Theme,
  now?: number,
): string[] {
  if (rows < 1 || tools.length === 0) return [];
  const crowded = tools.length > rows;
  const shown = crowded ? tools.slice(0, Math.max(0, rows - 1)) : tools;
  const each = Math.min(outputRows, Math.floor((rows - tools.length) / tools.length));
  const lines = shown.flatMap(({ tool, title, output, subagent }) => [
    renderToolLine(
      { tool, title, status: 'running', summary: subagent && subagentFacts(subagent, title, width, now) },
      width,
      theme,
    ),
    ...lastLines(output, each).map((line) => theme.dim(`    ${truncate(line, width - 4)}`)),
  ]);
  const more = `… +${tools.length - shown.length} more running`;
  return crowded ? [...lines, theme.dim(truncate(more, width))] : lines;
}

/** Shows output as a terminal would: a carriage return overwrites the line. */
function lastLines(output: string, many: number): string[] {
  if (many < 1) return [];
  const lines = output
    .split('\n')
    .map((line) => sanitize(withoutTrailing(line, '\r').split('\r').at(-1) ?? '').trimEnd())
    .filter((line) => line !== '');
  return lines.slice(-many);
}

interface QueueViewProps {
  readonly queue: readonly PromptOp[];
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly editQueuedKey?: string | undefined;
}

/** Messages typed during a turn, dim, oldest first; if rows are scarce, the newest ones and a count. */
const QueueView = memo(function QueueView(props: QueueViewProps) {
  return <Lines lines={queueLines(props)} />;
});

/** Minimum columns of a message next to the key hint. */
const LEAST_MESSAGE = 16;

export function queueLines({ queue, width, rows, theme, editQueuedKey }: QueueViewProps): string[] {
  if (rows < 1 || queue.length === 0) return [];
  const shown = queue.length <= rows ? queue : queue.slice(queue.length - Math.max(0, rows - 1));
  const hidden = queue.length - shown.length;
  return [
    ...(hidden > 0 ? [theme.dim(truncate(`  … ${hidden} queued before`, width))] : []),
    ...shown.map(({ text, display }, index) => {
      const words =
        index === shown.length - 1 && editQueuedKey !== undefined ? `  ${editQueuedKey} to edit` : '';
      const hint = width - 2 - textWidth(words) < LEAST_MESSAGE ? '' : words;
      const message = sanitizeLine((display ?? text).slice(0, 2000));
      return theme.dim(`⧗ ${truncate(message, width - 2 - textWidth(hint))}${hint}`);
    }),
  ];
}

interface TodoListProps {
  readonly todos: readonly Todo[];
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
}

/** The todos; if there are too many, those around the current one. */
const TodoList = memo(function TodoList({ todos, width, rows, theme }: TodoListProps) {
  return <Lines lines={rows < 1 ? [] : renderTodos(todos, width, rows, theme)} />;
});

/** Milliseconds after which the hint about background commands appears. */
const SLOW_MS = 3000;

interface BackgroundHintProps {
  /** The running command, if there is one. */
  readonly callId: string | undefined;
  /** Called once the command is slow: true if it can be moved. */
  readonly canMove: () => boolean;
  /** For example `ctrl+b`. */
  readonly shortcut: string;
  readonly width: number;
  readonly theme: Theme;
}

/** Shows how to move a slow command to the background. Starts one timer per command. */
export function BackgroundHint({ callId, canMove, shortcut, width, theme }: BackgroundHintProps) {
  const [slowId, setSlowId] = useState<string>();
  const newest = useRef(canMove);
  newest.current = canMove;
  useEffect(() => {
    if (callId === undefined) return;
    const timer = setTimeout(() => setSlowId(newest.current() ? callId : undefined), SLOW_MS);
    return () => clearTimeout(timer);
  }, [callId]);
  if (callId === undefined || slowId !== callId) return null;
  return <Lines lines={[theme.dim(hintWithin(shortcut, width))]} />;
}

/** Uses fewer words on a narrow screen, so that the action is not cut off. */
function hintWithin(shortcut: string, width: number): string {
  const whole = `    ${shortcut} to run in background`;
  return textWidth(whole) <= width ? whole : truncate(`  ${shortcut} background`, width);
}

// The progress of a running subagent, at the end of its line. Pure.

/** Columns reserved for its title. */
const TITLE_COLUMNS = 32;
/** Minimum columns for its current call. */
const LEAST_DOING = 8;

/** E.g. `step 3 · Grep(foo) · 12.3k tokens · 41s`, as much of it as fits next to the title. Without `now`, no time. */
function subagentFacts(
  { step, doing, tokens, startedAtMs }: SubagentStatus,
  title: string,
  width: number,
  now?: number,
): string {
  const time = now === undefined ? [] : [formatDuration(Math.floor((now - startedAtMs) / 1000) * 1000)];
  const seconds = time.map((text) => text.replace('.0s', 's'));
  const steps = step === 0 ? [] : [`step ${step}`];
  const size = tokens === 0 ? [] : [`${shortTokens(tokens)} tokens`];
  const room = width - agentToolName.length - Math.min(textWidth(title), TITLE_COLUMNS) - 6;
  const fixed = [[...steps, ...size, ...seconds], [...steps, ...seconds], [...seconds]];
  const leftBeside = (facts: readonly string[]): number => room - textWidth(facts.join(' · ')) - 3;
  // Its current call matters more than its token count.
  const facts =
    fixed.find((some) => leftBeside(some) >= LEAST_DOING) ??
    fixed.find((some) => leftBeside(some) >= -3) ??
    [];
  const left = leftBeside(facts);
  const what = left < LEAST_DOING ? [] : [truncate(shownLine(doing), left)];
  const [first, ...rest] = facts;
  if (first === undefined || first !== steps[0]) return [...what, ...facts].join(' · ');
  return [first, ...what, ...rest].join(' · ');
}

/**
 * What is not finished yet, between the scrollback and the composer: the rest of the reply, running calls, the
 * spinner, the todo list, queued messages, the open question. Never taller than the rows it is given.
 */
import { Box, Text } from 'ink';
import { useMemo } from 'react';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { toolNames } from '../protocol/toolNames.ts';
import { LiveTools } from './components/LiveTools.tsx';
import { PermissionDialog } from './components/PermissionDialog.tsx';
import { QueueView } from './components/QueueView.tsx';
import { RetryNotice } from './components/RetryNotice.tsx';
import { Spinner } from './components/Spinner.tsx';
import { TodoList } from './components/TodoList.tsx';
import type { Snapshot } from './controller/types.ts';
import { sanitizeLine } from './print/sanitize.ts';
import { liveTail } from './print/streaming.ts';
import { todoRows } from './print/todos.ts';
import { renderReads } from './print/toolLine.ts';
import { BackgroundHint } from './tasks/BackgroundHint.tsx';
import type { View } from './view.ts';

export interface LiveAreaProps {
  readonly snapshot: Snapshot;
  readonly columns: number;
  /** Rows for all of it. */
  readonly rows: number;
  /** Rows of them for the unfinished reply. */
  readonly liveRows: number;
  readonly onAnswer: (id: string, answer: PermissionAnswer) => void;
  readonly now: () => number;
  /** What moves a command to the background, if any key does. */
  readonly backgroundKey?: string | undefined;
}

/** Rows of queued messages, at most. */
const QUEUE_ROWS = 3;
/** Rows of why a request is sent again: on a narrow screen that is a long story. */
const RETRY_ROWS = 10;

export function LiveArea({ snapshot, columns, rows, liveRows, onAnswer, now, backgroundKey }: LiveAreaProps) {
  const { view, theme, session, preferences, markdown, todoView } = snapshot;
  // The spinner alone draws ten frames a second, and Markdown may take longer than a frame.
  const tail = useMemo(
    () =>
      view.tail === '' ? [] : markdown(liveTail(view.tail, liveRows), { width: columns, theme }).split('\n'),
    [view.tail, liveRows, markdown, columns, theme],
  );
  const question = view.questions[0];
  if (question !== undefined) {
    return (
      <Box flexDirection="column" marginBottom={1}>
        <PermissionDialog
          key={question.id}
          question={question}
          width={columns}
          rows={rows - 1}
          theme={theme}
          markdown={markdown}
          onAnswer={(answer) => onAnswer(question.id, answer)}
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
      <LiveTools tools={view.tools} width={columns} rows={Math.floor(room / 2)} theme={theme} />
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
          verb={verbOf(view, session?.agent.state().model.id)}
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
      <QueueView queue={view.queue} width={columns} rows={Math.min(QUEUE_ROWS, room)} theme={theme} />
      <Text> </Text>
    </Box>
  );
}

/** A summary that the turn waits for gives way to Esc, and the turn goes on (a local server, or drafts switched off). */
function waitsForSummary({ inTurn, compacting }: View): boolean {
  return inTurn && compacting?.trigger === 'auto';
}

/** What the spinner says that it is doing. */
function verbOf(view: View, model = 'the model'): string {
  if (view.compacting?.trigger === 'preview') return 'Writing a summary for the preview';
  if (view.compacting !== undefined) return 'Compacting the conversation';
  if (view.retry !== undefined) return 'Waiting';
  if (view.writing !== undefined) return `Preparing ${view.writing.name}`;
  if (view.tools.length > 0) return 'Running';
  if (view.tail !== '' || view.tailPrinted) return 'Answering';
  return view.reasoningLength > 0 ? 'Reasoning' : `Waiting for ${sanitizeLine(model)}`;
}

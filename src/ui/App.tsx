/**
 * The whole screen: dialogs or the live area on top, then the composer and the status line. The composer is mounted
 * from the first frame on and never unmounted, so that no typed text is lost.
 */
import { Box, Text, useApp } from 'ink';
import { type ComponentType, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { ModelInfo } from '../protocol/models/model.ts';
import type { SandboxState } from '../protocol/sandbox.ts';
import type { Controller, Snapshot } from './controller/types.ts';
import type { PhaseDialogProps } from './dialog/PhaseDialog.tsx';
import { draftSent, draftTyped } from './dialog/useAnswers.ts';
import { placeholderOf, STARTING } from './firstFrame.ts';
import type { FormDialogProps } from './form/FormDialog.tsx';
import { Composer, type ComposerHandle } from './input/Composer.tsx';
import { createHistoryFile } from './input/history.ts';
import { keysOfAction } from './keys/keymap.ts';
import { showKeys } from './keys/strokes.ts';
import { KeymapContext, useContinued, useKeymap } from './keys/useKeys.ts';
import { LiveArea } from './live/LiveArea.tsx';
import { StatusLine } from './live/StatusLine.tsx';
import type { TerminalWindow } from './terminal/terminalWindow.ts';
import type { UiOptions } from './types.ts';

interface AppProps {
  readonly options: UiOptions;
  /** Text that was typed before the composer existed. */
  readonly initialDraft: string;
  readonly controller: Controller;
  readonly window: TerminalWindow;
}

/** Rows below the live area: the status line and a blank line. */
const STATUS_ROWS = 2;

export function App({ options, initialDraft, controller, window }: AppProps) {
  const app = useApp();
  const { columns, rows } = useSyncExternalStore(window.subscribe, window.size);
  const composer = useRef<ComposerHandle>(null);
  const snapshot = useSyncExternalStore(controller.subscribe, controller.snapshot);
  const keymap = useKeymap(options.keys);
  const size = useRef({ columns, rows });
  size.current = { columns, rows };
  const transcriptKey = useRef<string>(undefined);
  transcriptKey.current = keysOfAction(keymap, 'app:toggleTranscript').map(showKeys)[0];

  const { write, suspend } = useHeldOutput(window, options.onContinue);
  const dialogs = useRef<LoadedDialogs>({});
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    controller.begin({
      write,
      columns: () => size.current.columns,
      liveRows: () => liveRowsOf(size.current.rows),
      composer: () => composer.current,
      transcriptKey: () => transcriptKey.current,
      suspend,
      async loadDialogs() {
        dialogs.current = await loadDialogs();
      },
    });
  });

  const history = useMemo(() => createHistoryFile(options.historyFile, options.historyText), [options]);
  const onSubmit = useCallback<Controller['submit']>(
    (draft) => {
      draftSent();
      return controller.submit(draft);
    },
    [controller],
  );
  const onIntent = useCallback<Controller['intent']>(
    (intent, at) => controller.intent(intent, at),
    [controller],
  );
  const onEdit = useCallback(() => {
    draftTyped();
    controller.draftEdited();
  }, [controller]);
  const attach = useCallback((pasted: string) => controller.attachImages(pasted), [controller]);
  const onUnmeant = useCallback((text: string) => composer.current?.typeOn?.(text), []);
  const popQueued = useCallback(() => controller.popQueued(), [controller]);

  const { phase, session, view, theme } = snapshot;
  const commands = session?.host.commands;
  const mcp = session?.host.mcp;
  const completion = useMemo(
    () => ({
      commands: () => commands ?? [],
      files: options.listFiles,
      resources: () => mcp?.resources() ?? [],
    }),
    [options, commands, mcp],
  );
  // The frame must never be taller than the screen.
  const own = useMemo(
    () => (rows < 10 ? undefined : snapshot.statusText?.slice(0, rows < 16 ? 1 : undefined)),
    [snapshot.statusText, rows],
  );
  const leaving = phase.type === 'leaving';
  // Exit only after the empty frame is drawn, so that the shell's prompt follows the transcript.
  useEffect(() => {
    if (leaving) app.exit();
  }, [leaving, app]);
  if (leaving) return null;
  const inSession = phase.type === 'session' || phase.type === 'booting';
  // A permission question takes precedence over the list, which stays open underneath.
  const isListing = ['items', 'tasks', 'config', 'confirm'].includes(phase.type);
  const asked = (inSession || isListing) && view.questions.length > 0;
  const isWriting = inSession && !asked;
  // While a dialog has the keyboard, the draft is hidden and the dialog uses its rows.
  const composerRows = isWriting ? Math.max(1, Math.min(10, Math.floor(rows / 3))) : 0;
  const above = Math.max(3, rows - composerRows - STATUS_ROWS - (own?.length ?? 0) - 1);
  const { PhaseDialog, FormDialog } = dialogs.current;
  return (
    <Box flexDirection="column" width={columns}>
      <KeymapContext value={keymap}>
        {inSession || asked ? (
          <LiveArea
            snapshot={snapshot}
            columns={columns}
            rows={above}
            liveRows={liveRowsOf(rows)}
            onAnswer={controller.answer}
            onUnmeant={onUnmeant}
            FormDialog={FormDialog}
            now={options.now}
            backgroundKey={keysOfAction(keymap, 'task:background')[0]}
            editQueuedKey={keysOfAction(keymap, 'history:previous').map(showKeys)[0]}
          />
        ) : (
          PhaseDialog !== undefined && (
            <Box marginBottom={1}>
              <PhaseDialog
                snapshot={snapshot}
                controller={controller}
                columns={columns}
                rows={above - 1}
                now={options.now}
                keymap={keymap}
              />
            </Box>
          )
        )}
      </KeymapContext>
      <Composer
        ref={composer}
        isActive={isWriting}
        isHidden={!isWriting}
        width={columns}
        maxRows={composerRows}
        theme={theme}
        history={history}
        keymap={keymap}
        vim={snapshot.preferences.vim}
        completion={completion}
        onSubmit={onSubmit}
        onIntent={onIntent}
        onEdit={onEdit}
        popQueued={popQueued}
        attach={attach}
        placeholder={placeholderOf(theme)}
        initialText={initialDraft}
      />
      <Footer snapshot={snapshot} own={own} width={columns} />
    </Box>
  );
}

/** Set before any phase needs it: see `ScreenPorts.loadDialogs`. */
interface LoadedDialogs {
  readonly PhaseDialog?: ComponentType<PhaseDialogProps>;
  readonly FormDialog?: ComponentType<FormDialogProps>;
}

async function loadDialogs(): Promise<LoadedDialogs> {
  const [{ PhaseDialog }, { FormDialog }] = await Promise.all([
    import('./dialog/PhaseDialog.tsx'),
    import('./form/FormDialog.tsx'),
  ]);
  return { PhaseDialog, FormDialog };
}

/** Output to the scrollback, held back while the terminal is handed over, because Ink discards it then. */
function useHeldOutput(window: TerminalWindow, onContinue: UiOptions['onContinue']) {
  const app = useApp();
  const held = useRef<string[] | undefined>(undefined);
  const write = (text: string): void => {
    if (held.current === undefined) window.print(text);
    else held.current.push(text);
  };
  const suspend = async (run: () => Promise<void>): Promise<void> => {
    // Already handed over: two keys arrived in one chunk.
    if (held.current !== undefined) return;
    held.current = [];
    try {
      await window.lend(() => app.suspendTerminal(run));
    } finally {
      const text = held.current.join('');
      held.current = undefined;
      if (text !== '') window.print(text);
    }
  };

  useContinued(
    onContinue,
    () => held.current !== undefined,
    () => suspend(() => Promise.resolve()),
  );
  return { write, suspend };
}

interface FooterProps {
  readonly snapshot: Snapshot;
  /** The user's own status line. */
  readonly own: readonly string[] | undefined;
  readonly width: number;
}

/** A hint until the next key, otherwise the status line. */
function Footer({ snapshot: { phase, session, view, theme, hint }, own, width }: FooterProps) {
  if (hint !== undefined) return <Text wrap="truncate-end">{theme.warning(hint)}</Text>;
  const state = session?.agent.state();
  if (state === undefined) return <Text>{theme.dim(phase.type === 'booting' ? STARTING : ' ')}</Text>;
  return (
    <StatusLine
      own={own}
      model={withEffort(state.model)}
      mode={state.mode}
      readOnly={state.readOnly}
      demo={state.demo}
      sandbox={sandboxLabel(state.sandbox)}
      width={width}
      theme={theme}
      measure={state.measure}
      drafting={view.drafting}
      running={state.tasks.flatMap(({ end, command }) => (end === undefined ? [command] : []))}
      costUsd={state.usage.requests === 0 ? undefined : state.usage.costUsd}
    />
  );
}

/** Undefined if commands are sandboxed, or the user's settings turned the sandbox off. */
function sandboxLabel(state: SandboxState | undefined): string | undefined {
  if (state?.type === 'unavailable') return 'no sandbox';
  return state?.type === 'off' && state.isFullAccess === true ? 'full access' : undefined;
}

/** Maximum rows of the unfinished reply, leaving room for the rest of the live area. */
function liveRowsOf(rows: number): number {
  return Math.max(3, Math.min(12, rows - 14));
}

/** The effort is shown only if one is set. */
function withEffort({ id, effort }: ModelInfo): string {
  return effort === undefined ? id : `${id} · ${effort}`;
}

/**
 * Controls which session is on screen: opens, forks and picks sessions, one at a time. Closes a session only after the
 * next one is open; if that one cannot be opened, nothing changes.
 */
import type { SessionTarget } from '../../agent/types.ts';
import { createPicker, type Picked, type Picker } from '../sessions/picker.ts';
import type { Refusal, RefusalAnswer } from '../sessions/refusal.ts';
import type { AppServices, UiSession } from '../types.ts';
import { entryAt } from './replay.ts';
import type { Phase } from './types.ts';

export interface SessionSwitch {
  open(target: SessionTarget, how?: OpenHow): Promise<void>;
  /** Forks the open session at an entry and switches to the fork; undefined forks all of it. */
  fork(uptoSeq: number | undefined): Promise<void>;
  /** Shows the session picker. */
  pick(): void;
  /** Answers the dialog about a session that cannot be resumed. */
  answer(answer: RefusalAnswer): void;
  dispose(): void;
}

type IdTarget = Extract<SessionTarget, { type: 'id' }>;

interface OpenHow {
  /** Show the conversation around this entry instead of its end. */
  readonly at?: number;
  readonly title?: string;
  /** The id of the open session that this one was forked from. */
  readonly forkOf?: string;
}

interface SwitchPorts {
  readonly services: () => AppServices | undefined;
  readonly session: () => UiSession | undefined;
  readonly phase: (phase: Phase) => void;
  readonly showNotice: (level: 'info' | 'error', text: string) => void;
  /** Replaces the session on screen. */
  readonly attach: (session: UiSession, at: number | undefined) => Promise<void>;
  /** Scrolls to another entry of the session on screen. */
  readonly show: (at: number) => Promise<void>;
  /** Called last, when the session is on screen. */
  readonly opened: () => void;
  readonly isLeaving: () => boolean;
  readonly leave: (code: number) => void;
}

/** Exit code if the session given on the command line does not exist. */
const NO_SESSION = 42;

export function createSessionSwitch(ports: SwitchPorts): SessionSwitch {
  let opening = false;
  let picker: Picker | undefined;
  let refused: { readonly target: IdTarget; readonly how: OpenHow } | undefined;

  /** Opens one session at a time: a second Enter in the picker must not open it twice. */
  const open = async (target: SessionTarget, how: OpenHow = {}): Promise<void> => {
    const services = ports.services();
    if (services === undefined || opening) return;
    opening = true;
    try {
      await openFrom(services, target, how);
    } finally {
      opening = false;
    }
  };

  const openFrom = async (services: AppServices, target: SessionTarget, how: OpenHow): Promise<void> => {
    const before = ports.session();
    const left = before?.agent.state().sessionId;
    // This session is already open and we hold its lock.
    const isWritten = before?.agent.state().readOnly !== true;
    if (target.type === 'id' && target.mode === undefined && left === target.id && isWritten) {
      toSession();
      if (how.at !== undefined) await ports.show(how.at);
      return;
    }
    // Opening a long session takes a moment.
    picker?.tell('info', 'Opening…');
    const outcome = await services.open(target);
    if (outcome.type === 'refused') {
      const { id, refusal, title, project } = outcome;
      const found = { id, ...(project === undefined ? {} : { project }) };
      refuse(
        { ...target, type: 'id', ...found },
        { ...(title === undefined ? {} : { title }), ...how },
        refusal,
      );
      return;
    }
    if (outcome.type === 'failed') {
      if (picker !== undefined) {
        picker.tell('error', outcome.message);
        return showPicker(picker);
      }
      ports.showNotice('error', outcome.message);
      if (before !== undefined) return toSession();
      // The requested session does not exist: exit with an error instead of starting a new one.
      return ports.leave(NO_SESSION);
    }
    const { session } = outcome;
    if (ports.isLeaving()) {
      // The user left while it was opening, so release its lock.
      await session.agent.close();
      return;
    }
    closePicker();
    await ports.attach(session, how.at);
    const original = how.forkOf ?? (target.type === 'id' && target.mode === 'fork' ? target.id : undefined);
    if (original !== undefined)
      ports.showNotice('info', `Forked; you are now in the copy. Original: /resume ${original}`);
    else if (!session.resumed && left !== undefined)
      ports.showNotice('info', `New session. Resume the previous one with /resume ${left}`);
    ports.opened();
  };

  const toSession = (): void => {
    closePicker();
    ports.phase({ type: ports.session() === undefined ? 'booting' : 'session' });
  };
  const closePicker = (): void => {
    picker?.dispose();
    picker = undefined;
  };
  const showPicker = (shown: Picker): void => ports.phase({ type: 'picking', picker: shown });

  const onPick = ({ session, seq, mode, isFromAll }: Picked): void => {
    const { id, project, title, root, isMoved: isGone } = session;
    const target: IdTarget = { type: 'id', id, project };
    if (mode === 'fork') {
      void open({ ...target, mode, ...(seq === undefined ? {} : { uptoSeq: seq }) }, { title });
      return;
    }
    const how = { title, ...(seq === undefined ? {} : { at: seq }) };
    if (isFromAll && project !== ports.services()?.sessions.project)
      refuse(target, how, { why: 'elsewhere', root, isGone, canRead: true });
    else void open(target, how);
  };
  const refuse = (target: IdTarget, how: OpenHow, refusal: Refusal): void => {
    refused = { target, how };
    const back = picker !== undefined ? 'list' : ports.session() !== undefined ? 'session' : 'new';
    ports.phase({ type: 'refused', refusal, id: target.id, title: how.title, back });
  };

  return {
    open,
    async fork(uptoSeq) {
      const agent = ports.session()?.agent;
      if (agent === undefined) return;
      const forkOf = agent.state().sessionId;
      try {
        const upto = uptoSeq === undefined ? undefined : await entryAt(agent, uptoSeq);
        if (uptoSeq !== undefined && upto === undefined)
          return ports.showNotice('error', `There is no entry #${uptoSeq} in this session to fork at.`);
        const id = await agent.fork(upto?.uuid);
        await open({ type: 'id', id }, { forkOf });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        ports.showNotice('error', `The session could not be forked: ${why}`);
      }
    },
    pick() {
      const services = ports.services();
      if (services === undefined) return;
      closePicker();
      const agent = ports.session()?.agent;
      picker = createPicker(services.sessions, {
        current: agent && {
          id: agent.state().sessionId,
          rename: (title) => agent.submit({ type: 'set_title', title }),
        },
        onPick,
        onCancel() {
          toSession();
          if (ports.session() === undefined) void open({ type: 'new' });
        },
      });
      showPicker(picker);
    },
    answer(answer) {
      const asked = refused;
      refused = undefined;
      if (answer === 'back' || asked === undefined) {
        if (picker !== undefined) return showPicker(picker);
        toSession();
        if (ports.session() === undefined) void open({ type: 'new' });
        return;
      }
      void open(answer === 'write' ? asked.target : { ...asked.target, mode: answer }, asked.how);
    },
    dispose: closePicker,
  };
}
